import { writeFileSync } from 'node:fs'
import type { MedloomClient } from '@medloom/client/node'
import {
  type DefaultChange,
  earlierDefaults,
  upgradedWorkflow,
  type Workflow,
  writeWorkflow,
} from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'
import { meansFile, readWorkflowFile, workflowOf } from '../../workflow-files/workflow-file.js'

export const addUpgrade: AddCommand = (parent) =>
  parent
    .add('upgrade')
    .description(
      'show the defaults of an earlier release in a workflow, and replace them by current defaults',
    )
    .argument('<workflow>', 'file, id or name')
    .option('--accept', 'save the workflow with the current defaults')
    .option('--keep', 'save the values of the earlier release as explicit settings')
    .note(
      'Without an option nothing is changed: a workflow of an earlier release runs with the defaults of that release.',
    )
    .example('medloom workflow upgrade first.json', 'medloom workflow upgrade first.json --accept')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      if (options.accept && options.keep)
        throw new UsageError('--accept and --keep cannot be combined.', 'Use one of them.')
      const opened = meansFile(word) ? openFile(word) : await openSaved(connect(options), word)
      const changes = earlierDefaults(opened.workflow)
      const { earlier_defaults: _noted, ...rest } = opened.workflow
      const written = options.accept ? upgradedWorkflow(opened.workflow) : options.keep ? rest : null
      if (written) await opened.write(written as Workflow)
      const end = written ? `saved ${word}` : 'Nothing was changed. Use --accept or --keep.'
      print(options, { changes, saved: written !== null }, () => page(changes, end))
    })

interface Opened {
  readonly workflow: Workflow
  readonly write: (workflow: Workflow) => Promise<void>
}

function openFile(word: string): Opened {
  const file = readWorkflowFile(word)
  if (file.path === '-') throw new UsageError('Standard input cannot be saved.', 'Use the path of a file.')
  return {
    workflow: workflowOf(file),
    write: async (workflow) => writeFileSync(file.path, writeWorkflow(workflow)),
  }
}

async function openSaved(client: MedloomClient, word: string): Promise<Opened> {
  const workflow_id = await findWorkflow(client, word)
  const { workflow, revision } = await client.getWorkflow({ workflow_id })
  return {
    workflow,
    write: async (changed) => {
      await client.updateWorkflow({ workflow_id, ...changed, revision })
    },
  }
}

function page(changes: readonly DefaultChange[], end: string): string {
  if (changes.length === 0) return 'The workflow has the current defaults.'
  const rows = changes.map(({ node, field, key, ...change }) => [
    `${node}.${field}`,
    key,
    JSON.stringify(change.old),
    change.new === null ? 'chosen from the data' : JSON.stringify(change.new),
  ])
  return `${formatTable(['field', 'key', 'earlier release', 'current'], rows)}\n${end}`
}
