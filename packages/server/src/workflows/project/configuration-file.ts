import type { WorkflowResponse } from '@medloom/contracts'
import { stringify } from 'yaml'
import { yieldIfDue } from '../../concurrency/event-loop.js'

const YAML = { aliasDuplicateObjects: false, lineWidth: 110 } as const
const NODES_PER_STEP = 20

/** config.yaml of a workflow, for reading: its nodes and their configs. A few nodes are written per step, because there may be many. */
export async function configurationFile({
  workflow_id,
  revision,
  workflow,
}: Pick<WorkflowResponse, 'workflow_id' | 'revision' | 'workflow'>): Promise<string> {
  const { name, description, tags } = workflow.metadata
  const head = stringify({ workflow_id, revision, name, description, tags }, YAML)
  const nodes = [...new Map(workflow.nodes.map(({ id, type, config }) => [id, { type, config }]))]
  if (nodes.length === 0) return `${head}nodes: {}\n`
  const pieces = [head, 'nodes:\n']
  for (let start = 0; start < nodes.length; start += NODES_PER_STEP) {
    await yieldIfDue()
    const some = Object.fromEntries(nodes.slice(start, start + NODES_PER_STEP))
    pieces.push(stringify({ nodes: some }, YAML).slice('nodes:\n'.length))
  }
  return pieces.join('')
}
