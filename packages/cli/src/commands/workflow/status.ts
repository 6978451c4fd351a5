import type { NodeState, WorkflowStatus } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { exitOfRun, followRun } from '../../follow/follow-run.js'
import { connect } from '../../service/connection.js'
import { duration, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { formatTable } from '../../terminal/table.js'
import { terminal } from '../../terminal/terminal.js'
import { userTrace } from '../../terminal/user-trace.js'
import { findRun, findWorkflow } from '../../workflow-files/find-workflow.js'

export const addWorkflowStatus: AddCommand = (parent, context) =>
  parent
    .add('status')
    .description('show the latest run of a workflow, node by node')
    .argument('<workflow>', 'file, id or name')
    .option('--run <run>', 'show another run')
    .option('-w, --watch', 'follow the run until it ends, also across restarts of the service')
    .example('medloom workflow status first.json --watch')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const workflowId = await findWorkflow(client, word)
      const run = options.run ? { run_id: await findRun(client, workflowId, options.run) } : {}
      const state = await client.getWorkflowStatus({ workflow_id: workflowId, ...run })
      const ended = state.run_id === null || !['pending', 'running'].includes(state.status)
      if (options.watch && !ended && state.run_id !== null)
        context.exitCode = await followRun(client, workflowId, state.run_id, { json: options.json ?? false })
      else {
        print(options, state, statusPage)
        if (options.watch && state.run_id !== null) context.exitCode = exitOfRun(state.status)
      }
    })

function statusPage({ workflow_id, run_id, status, progress, nodes }: WorkflowStatus): string {
  if (run_id === null) return `workflow ${workflow_id}\nThis workflow has not run yet.`
  const style = styleFor(terminal().stdout)
  const rows = Object.entries(nodes).map(([id, node]) => [
    id,
    nodeWord(node),
    duration(node.duration),
    node.error?.message ?? node.message ?? node.reason ?? summary(node),
  ])
  const errors = Object.entries(nodes).flatMap(([id, { error }]) => {
    if (!error) return []
    const trace = userTrace(error.trace)
    return [`\n${style.red(id)}: ${error.message} [${error.type}]`, ...(trace ? [style.dim(trace)] : [])]
  })
  const warnings = Object.entries(nodes).flatMap(([id, node]) =>
    (node.warnings ?? []).map(({ code, message }) => `\n${style.yellow(id)}: ${message} [${code}]`),
  )
  return [
    `workflow ${workflow_id}`,
    `run      ${run_id}`,
    `status   ${status}, ${Math.floor(progress * 100)}%`,
    '',
    formatTable(['node', 'status', 'time', 'result'], rows),
    ...warnings,
    ...errors,
  ].join('\n')
}

function nodeWord({ status, progress }: NodeState): string {
  const style = styleFor(terminal().stdout)
  if (status === 'running') return `running ${Math.floor(progress * 100)}%`
  if (status === 'error') return style.red(status)
  return status === 'success' ? style.green(status) : status
}

function summary({ outputs }: NodeState): string {
  const made = Object.values(outputs).map((output) => output.summary)
  return [...new Set(made)].filter(Boolean).join(' · ') || UNKNOWN
}
