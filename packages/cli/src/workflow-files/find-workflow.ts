import type { MedloomClient } from '@medloom/client/node'
import type { WorkflowRecord } from '@medloom/contracts'
import { EXIT, UsageError } from '../exit-codes.js'
import { isUuid, matchesId } from '../service/ids.js'
import { pages } from '../service/pages.js'
import { linkedWorkflow } from './linked-files.js'
import { meansFile, readWorkflowFile } from './workflow-file.js'

/** Resolves a file, an id, a unique prefix of one, a unique name, or "latest" to the id of a workflow. */
export async function findWorkflow(client: MedloomClient, word: string): Promise<string> {
  if (isUuid(word)) return word.toLowerCase()
  if (meansFile(word)) return workflowOfFile(client, word)
  const found: WorkflowRecord[] = []
  const all = pages(Number.POSITIVE_INFINITY, 'workflows', (query) => client.listWorkflows(query))
  for await (const { workflows } of all)
    for (const workflow of workflows) {
      if (word === 'latest') return workflow.workflow_id
      if (workflow.name === word || matchesId(word, workflow.workflow_id)) found.push(workflow)
    }
  const [only, ...others] = found
  if (only && others.length === 0) return only.workflow_id
  if (only) {
    const first = found.slice(0, 5).map(({ workflow_id }) => workflow_id)
    throw new UsageError(
      `"${word}" matches ${found.length} workflows: ${first.join(', ')}${found.length > 5 ? ', …' : ''}.`,
      'Use the id, or more characters of it.',
    )
  }
  throw new UsageError(
    `There is no workflow "${word}".`,
    'List the workflows with "medloom workflow ls".',
    EXIT.notFound,
  )
}

function workflowOfFile(client: MedloomClient, word: string): string {
  const linked = linkedWorkflow(client, readWorkflowFile(word).path)
  if (linked) return linked
  throw new UsageError(
    `${word} has not been sent to the service at ${client.baseUrl} yet.`,
    `To run: medloom workflow run ${word}`,
    EXIT.notFound,
  )
}

/** Resolves an id or a unique prefix of one to a run of a workflow; true: the latest. */
export async function findRun(
  client: MedloomClient,
  workflowId: string,
  word: string | true,
): Promise<string> {
  const found: string[] = []
  const all = pages(Number.POSITIVE_INFINITY, 'runs', (query) =>
    client.listWorkflowRuns({ workflow_id: workflowId, ...query }),
  )
  for await (const { runs } of all)
    for (const { run_id } of runs) {
      if (word === true) return run_id
      if (matchesId(word, run_id)) found.push(run_id)
    }
  if (found.length > 1)
    throw new UsageError(`${found.length} run ids start with "${word}".`, 'Use more characters of the id.')
  if (found[0] !== undefined) return found[0]
  throw new UsageError(
    word === true ? 'This workflow has not run yet.' : `This workflow has no run "${word}".`,
    'Run it without --resume.',
    EXIT.notFound,
  )
}
