import type { WorkflowRecord } from '@medloom/contracts'
import { type AddCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { age, shortId, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export const addWorkflowList: AddCommand = (parent) =>
  parent
    .add('ls')
    .description('list the workflows of the service, newest first')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom workflow ls')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const page = await listUpTo(options.limit, 'workflows', (query) => client.listWorkflows(query))
      print(options, page, ({ workflows, next_page_token }) =>
        workflows.length === 0
          ? 'There are no workflows. List the templates: medloom workflow templates'
          : workflowTable(workflows) + (next_page_token ? '\nThere are more; use --limit.' : ''),
      )
    })

function workflowTable(workflows: readonly WorkflowRecord[]): string {
  const rows = workflows.map((record) => [
    shortId(record.workflow_id),
    record.name,
    String(record.num_nodes),
    String(record.revision),
    record.last_run?.status ?? UNKNOWN,
    age(record.updated_at),
  ])
  return formatTable(['workflow', 'name', 'nodes', 'revision', 'last run', 'changed'], rows)
}
