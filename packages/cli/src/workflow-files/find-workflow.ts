import type { MedloomClient } from '@medloom/client/node'
import type { WorkflowRecord } from '@medloom/contracts'
import { EXIT, UsageError } from '../exit-codes.js'
import { linkedWorkflow } from './linked-files.js'
import { meansFile, readWorkflowFile } from './workflow-file.js'

/** The id of the workflow that a file, an id, the unique beginning of one, a unique name, or "latest" means. */
export async function findWorkflow(client: MedloomClient, word: string): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word)) return word.toLowerCase()
  if (meansFile(word)) {
    const linked = linkedWorkflow(client, readWorkflowFile(word).path)
    if (linked) return linked
    throw new UsageError(
      `${word} has not been sent to the service at ${client.baseUrl} yet.`,
      `Run it: medloom workflow run ${word}`,
      EXIT.notFound,
    )
  }
  const found: WorkflowRecord[] = []
  for await (const workflow of allWorkflows(client)) {
    if (word === 'latest') return workflow.workflow_id
    const begins = /^[0-9a-f-]+$/i.test(word) && workflow.workflow_id.startsWith(word.toLowerCase())
    if (begins || workflow.name === word) found.push(workflow)
  }
  const [only, ...others] = found
  if (only && others.length === 0) return only.workflow_id
  if (only)
    throw new UsageError(
      `"${word}" means ${found.length} workflows: ${found
        .slice(0, 5)
        .map(({ workflow_id }) => workflow_id)
        .join(', ')}.`,
      'Give the id, or more of it.',
    )
  throw new UsageError(
    `There is no workflow "${word}".`,
    'List the workflows with "medloom workflow ls".',
    EXIT.notFound,
  )
}

async function* allWorkflows(client: MedloomClient): AsyncGenerator<WorkflowRecord> {
  let pageToken: string | null = null
  do {
    const page: Awaited<ReturnType<MedloomClient['listWorkflows']>> = await client.listWorkflows({
      page_size: 1000,
      ...(pageToken ? { page_token: pageToken } : {}),
    })
    yield* page.workflows
    pageToken = page.next_page_token
  } while (pageToken)
}
