import { phrase, WORKFLOW_FILE, writeWorkflow } from '@medloom/contracts'
import { placeOfFile } from '../outputs/output-place.js'
import { type NodeExecutor, summarize } from './executor.js'

/** The workflow of the node as a file, without its execution history, so that the file is always the same. */
export const saveWorkflow: NodeExecutor<'SaveWorkflow'> = async (
  { config },
  { service, store, workflow },
) => {
  const name = config.name || workflow.metadata.name
  const description = config.description || workflow.metadata.description
  const text = writeWorkflow({
    ...workflow,
    metadata: { ...workflow.metadata, name, description },
    execution_history: [],
  })
  const place = await placeOfFile(service.outputs, config.path, WORKFLOW_FILE)
  const blob = await store.put(text, '.json')
  return {
    workflow_path: {
      content: { content: 'files', kind: 'workflow', files: [{ title: name || 'Workflow', blob, ...place }] },
      ...summarize(phrase('name', { name: place.path })),
    },
  }
}
