import type { ItemDifference, WorkflowDifference } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { shortId } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'

export const addDiff: AddCommand = (parent) =>
  parent
    .add('diff')
    .description('show the differences between two versions of a workflow, or between two workflows')
    .argument('<workflow>', 'file, id or name')
    .argument('[other]', 'another workflow (default: the same one)')
    .option('--from <version>', 'revision number, "saved" (the newest revision) or "draft" (default: saved)')
    .option('--to <version>', 'same values (default: draft, or saved for another workflow)')
    .example('medloom workflow diff first', 'medloom workflow diff first --from 1 --to 3')
    .action(async (word: string, other: string | undefined, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const found = await client.getWorkflowDifference({
        workflow_id: await findWorkflow(client, word),
        ...(other ? { other_workflow_id: await findWorkflow(client, other) } : {}),
        ...(options.from ? { from: options.from } : {}),
        ...(options.to ? { to: options.to } : {}),
      })
      print(options, found, differencePage)
    })

const ITEMS = {
  metadata: 'metadata',
  nodes: 'node',
  connections: 'connection',
  groups: 'group',
  notes: 'note',
} as const

function differencePage({ from, to, differences }: WorkflowDifference): string {
  const rows = differences.flatMap((one) => (one.how === 'changed' ? changes(one) : [whole(one)]))
  return [
    `from ${versionWord(from)} to ${versionWord(to)}`,
    rows.length === 0
      ? 'The versions are identical.'
      : formatTable(['how', 'what', 'id', 'difference'], rows),
  ].join('\n')
}

function changes({ list, id, how, fields }: ItemDifference): string[][] {
  return fields.map(({ field, from, to }) => {
    const words = `${field}: ${valueWord(from)} → ${valueWord(to)}`
    return [how, ITEMS[list], list === 'metadata' ? '' : id, words]
  })
}

function whole({ list, id, how, item }: ItemDifference): string[] {
  const { type, source, source_port, target, target_port } = item ?? {}
  const wire = `${source}.${source_port} > ${target}.${target_port}`
  return [how, ITEMS[list], id, list === 'connections' ? wire : String(type ?? '')]
}

function versionWord({ workflow_id, version, revision }: WorkflowDifference['from']): string {
  const word = version === 'draft' ? `the draft of revision ${revision}` : `revision ${revision}`
  return `${word} (${shortId(workflow_id)})`
}

const valueWord = (value: unknown) => (value === null ? 'nothing' : JSON.stringify(value))
