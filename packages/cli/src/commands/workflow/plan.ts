import type { RouteResponse } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { formatTable } from '../../terminal/table.js'
import { terminal } from '../../terminal/terminal.js'
import { selection, sendOrFind, withSelection } from './selection.js'

export const addPlan: AddCommand = (parent, context) =>
  withSelection(parent.add('plan'))
    .description('show the plan of a run: the action and reason for each node; nothing runs')
    .example('medloom workflow plan first.json')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const workflowId = await sendOrFind(client, word, context)
      print(options, await client.planWorkflow({ workflow_id: workflowId, ...selection(options) }), planPage)
    })

function planPage({ steps, counts }: RouteResponse<'planWorkflow'>): string {
  const style = styleFor(terminal().stdout)
  const words = { run: style.bold, reuse: style.green, skip: style.dim }
  const rows = steps.map(({ node, action, message }) => [node, words[action](action), message])
  const sum = (['run', 'reuse', 'skip'] as const).map((action) => `${counts[action] ?? 0} ${action}`)
  return `${formatTable(['node', 'action', 'reason'], rows)}\n${sum.join(', ')}`
}
