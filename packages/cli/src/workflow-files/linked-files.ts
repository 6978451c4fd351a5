import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type MedloomClient, MedloomError } from '@medloom/client/node'
import { UsageError } from '../exit-codes.js'
import { terminal } from '../terminal/terminal.js'
import { ownFolder } from './own-folder.js'
import type { WorkflowFile } from './workflow-file.js'

/** The workflow to which a file was last sent, and its revision after that. */
interface Link {
  readonly workflow_id: string
  readonly revision: number
  readonly sha256: string
}

/** The workflow to which a file was sent before; undefined: it was never sent. */
export function linkedWorkflow(client: MedloomClient, file: string): string | undefined {
  return readLinks()[keyOf(client, file)]?.workflow_id
}

/**
 * Make the service's workflow equal to the file: the workflow to which the file was sent before, or a new one. A file that is run again
 * after a change is therefore the same workflow, and only changed nodes run.
 * @throws UsageError when the workflow was changed elsewhere since then: neither version is overwritten.
 */
export async function sendFile(
  client: MedloomClient,
  file: WorkflowFile,
): Promise<{ workflow_id: string; revision: number }> {
  const sha256 = createHash('sha256').update(file.text).digest('hex')
  const link = file.path === '-' ? undefined : readLinks()[keyOf(client, file.path)]
  const sent = (link && (await update(client, file, link, sha256))) ?? (await create(client, file))
  if (file.path !== '-') keepLink(keyOf(client, file.path), { ...sent, sha256 })
  return sent
}

/** undefined: the service does not have the workflow any more. */
async function update(client: MedloomClient, file: WorkflowFile, link: Link, sha256: string) {
  const { workflow_id, revision } = link
  try {
    const current = await client.getWorkflow({ workflow_id })
    if (link.sha256 === sha256 && current.revision === revision) return { workflow_id, revision }
    const answer = await client.updateWorkflow({ ...file.document, workflow_id, revision })
    return { workflow_id, revision: answer.revision }
  } catch (error) {
    if (!(error instanceof MedloomError)) throw error
    if (error.code === 'WORKFLOW_NOT_FOUND') return undefined
    if (error.code !== 'REVISION_CONFLICT') throw error
    throw new UsageError(
      `Workflow ${workflow_id} was changed elsewhere after this file was sent.`,
      `Use that version: medloom workflow export ${workflow_id} --output ${file.path}   Keep both: medloom workflow import ${file.path}`,
    )
  }
}

/** Import the file as a new workflow, even if it was sent before. */
export async function importFile(client: MedloomClient, file: WorkflowFile) {
  const answer = await client.importWorkflow(file.document)
  const { workflow_id, revision } = answer
  const sha256 = createHash('sha256').update(file.text).digest('hex')
  if (file.path !== '-') keepLink(keyOf(client, file.path), { workflow_id, revision, sha256 })
  return answer
}

/** Link a file that was just exported to its workflow. */
export function linkFile(
  client: MedloomClient,
  file: { path: string; text: string },
  sent: { workflow_id: string; revision: number },
): void {
  const sha256 = createHash('sha256').update(file.text).digest('hex')
  keepLink(keyOf(client, file.path), { ...sent, sha256 })
}

async function create(client: MedloomClient, file: WorkflowFile) {
  const { workflow_id, revision } = await client.importWorkflow(file.document)
  return { workflow_id, revision }
}

function keyOf(client: MedloomClient, path: string): string {
  return `${client.baseUrl} ${path}`
}

function place(): string {
  return join(
    terminal().env.XDG_STATE_HOME || join(homedir(), '.local', 'state'),
    'medloom',
    'workflow-files.json',
  )
}

function readLinks(): Record<string, Link> {
  try {
    ownFolder(dirname(place()))
    return JSON.parse(readFileSync(place(), 'utf8'))
  } catch {
    return {}
  }
}

function keepLink(key: string, link: Link): void {
  const file = place()
  try {
    ownFolder(dirname(file))
    const unfinished = `${file}.${process.pid}`
    writeFileSync(unfinished, `${JSON.stringify({ ...readLinks(), [key]: link }, null, 2)}\n`)
    renameSync(unfinished, file)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    terminal().stderr.write(
      `The link between this file and its workflow cannot be saved (${reason}); the next command will create a new workflow.\n`,
    )
  }
}
