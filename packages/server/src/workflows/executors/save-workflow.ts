import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeWorkflow } from '@medloom/contracts'
import { writeTextAtomically } from '../../storage/files.js'
import type { NodeExecutor } from './executor.js'

/** The workflow of the node as a file, without its history of executions, so that the file is the same whenever it is written. */
export const saveWorkflow: NodeExecutor<'SaveWorkflow'> = async (
  { config },
  { store, project, workflow },
) => {
  const name = config.name || workflow.metadata.name
  const description = config.description || workflow.metadata.description
  const text = writeWorkflow({
    ...workflow,
    metadata: { ...workflow.metadata, name, description },
    execution_history: [],
  })
  const { path, place } = await project.output(config.path, 'workflow.json')
  await mkdir(dirname(path), { recursive: true })
  await writeTextAtomically(path, text)
  const blob = await store.put(text, '.json')
  return {
    workflow_path: {
      content: {
        content: 'files',
        kind: 'workflow',
        files: [{ title: name || 'Workflow', blob, path: place }],
      },
      summary: place,
    },
  }
}
