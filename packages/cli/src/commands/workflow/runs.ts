import { randomUUID } from 'node:crypto'
import type { MedloomClient } from '@medloom/client/node'
import type { NodeState, RouteResponse, WorkflowStatus } from '@medloom/contracts'
import type { Command, OptionValues } from 'commander'
import { collect } from '../../collect.js'
import { EXIT, UsageError } from '../../exit-codes.js'
import { exitOfRun, followRun } from '../../follow/follow-run.js'
import type { CommandContext } from '../../program.js'
import { connect } from '../../service/connection.js'
import { duration, shortId, UNKNOWN } from '../../terminal/format.js'
import { print, printJson, printJsonLine, printLine } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { formatTable } from '../../terminal/table.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'
import { sendFile } from '../../workflow-files/linked-files.js'
import { meansFile, readWorkflowFile } from '../../workflow-files/workflow-file.js'

export function addRuns(workflow: Command, context: CommandContext): void {
  withSelection(
    workflow
      .command('plan')
      .description('say what a run would do with every node, and why; nothing runs')
      .argument('<workflow>', 'file, id or name'),
  ).action(async (word: string, _, command: Command) => {
    const options = command.optsWithGlobals()
    const client = connect(options)
    const workflowId = await sendOrFind(client, word, context)
    print(options, await client.planWorkflow({ workflow_id: workflowId, ...selection(options) }), planPage)
  })

  withSelection(
    workflow
      .command('run')
      .description('run a workflow and follow it; what is cached and unchanged is not computed again')
      .argument('<workflow>', 'file, id or name'),
  )
    .option('-r, --resume [run]', 'go on from the node that failed in this run (default: the latest run)')
    .option('-d, --detach', 'start it and do not follow')
    .addHelpText(
      'after',
      '\nThe exit status is 0 when every node succeeded, 1 when one failed, 6 when it was cancelled.',
    )
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const workflowId = await sendOrFind(client, word, context)
      const resume = options.resume ? { from_run: await findRun(client, workflowId, options.resume) } : {}
      const answer = await client.executeWorkflow(
        { workflow_id: workflowId, ...selection(options), ...resume },
        { idempotencyKey: randomUUID() },
      )
      if (!('run_id' in answer)) throw new TypeError('the service answered a plan to a run')
      if (options.detach) {
        if (options.json) printJson(answer)
        else
          printLine(
            `run ${answer.run_id} of workflow ${workflowId}\nFollow it: medloom workflow status ${shortId(workflowId)} --watch`,
          )
        return
      }
      if (options.json) printJsonLine(answer)
      else printLine(`workflow ${workflowId}\nrun      ${answer.run_id}`)
      context.exitCode = await followRun(client, workflowId, answer.run_id, { json: options.json ?? false })
    })

  workflow
    .command('status')
    .description('show the latest run of a workflow, node by node')
    .argument('<workflow>', 'file, id or name')
    .option('--run <run>', 'another run')
    .option('-w, --watch', 'follow it until it ends; survives restarts of the service')
    .action(async (word: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const workflowId = await findWorkflow(client, word)
      const run = options.run ? { run_id: await findRun(client, workflowId, options.run) } : {}
      const state = await client.getWorkflowStatus({ workflow_id: workflowId, ...run })
      const over = state.run_id === null || !['pending', 'running'].includes(state.status)
      if (options.watch && !over && state.run_id !== null)
        context.exitCode = await followRun(client, workflowId, state.run_id, { json: options.json ?? false })
      else {
        print(options, state, statusPage)
        if (options.watch && state.run_id !== null) context.exitCode = exitOfRun(state.status)
      }
    })

  workflow
    .command('cancel')
    .description('cancel the run of a workflow; answers once nothing of it runs any more')
    .argument('<workflow...>', 'files, ids or names')
    .action(async (words: string[], _, command: Command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      for (const word of words) {
        const answer = await client.cancelWorkflow({ workflow_id: await findWorkflow(client, word) })
        if (options.json) printJsonLine(answer)
        else printLine(`run ${answer.run_id} is ${answer.status}`)
      }
    })
}

function withSelection(command: Command): Command {
  return command
    .option('-t, --target <node>', 'only this node and what it needs; repeatable', collect, [])
    .option('-f, --force <node>', 'run this node although its result is cached; repeatable', collect, [])
}

function selection({ target, force }: OptionValues) {
  return { ...(target.length > 0 ? { targets: target } : {}), ...(force.length > 0 ? { force } : {}) }
}

async function sendOrFind(client: MedloomClient, word: string, context: CommandContext): Promise<string> {
  if (!meansFile(word)) return findWorkflow(client, word)
  const file = readWorkflowFile(word)
  context.placeOf = file.placeOf
  return (await sendFile(client, file)).workflow_id
}

/** A run by its id or the unique beginning of one; true: the latest. */
async function findRun(client: MedloomClient, workflowId: string, word: string | true): Promise<string> {
  const { runs } = await client.listWorkflowRuns({ workflow_id: workflowId, page_size: 1000 })
  const found = runs.filter(({ run_id }) => word === true || run_id.startsWith(word.toLowerCase()))
  const [first] = found
  if (first && (word === true || found.length === 1)) return first.run_id
  if (first)
    throw new UsageError(`"${word}" is the beginning of ${found.length} run ids.`, 'Give more of it.')
  throw new UsageError(
    word === true ? 'This workflow has not run yet.' : `This workflow has no run "${word}".`,
    'Run it without --resume.',
    EXIT.notFound,
  )
}

function planPage({ steps, counts }: RouteResponse<'planWorkflow'>): string {
  const style = styleFor(process.stdout)
  const words = { run: style.bold, reuse: style.green, skip: style.dim }
  const rows = steps.map(({ node, action, message }) => [node, words[action](action), message])
  const sum = (['run', 'reuse', 'skip'] as const).map((action) => `${counts[action] ?? 0} ${action}`)
  return `${formatTable(['node', 'plan', 'why'], rows)}\n${sum.join(', ')}`
}

function statusPage({ workflow_id, run_id, status, progress, nodes }: WorkflowStatus): string {
  if (run_id === null) return `workflow ${workflow_id}\nIt has not run yet.`
  const style = styleFor(process.stdout)
  const rows = Object.entries(nodes).map(([id, node]) => [
    id,
    nodeWord(node),
    duration(node.duration),
    node.error?.message ?? node.message ?? node.reason ?? summary(node),
  ])
  const traces = Object.entries(nodes).flatMap(([id, { error }]) =>
    error?.trace ? [`\n${style.red(id)}: ${error.message} [${error.type}]\n${style.dim(error.trace)}`] : [],
  )
  const warnings = Object.entries(nodes).flatMap(([id, node]) =>
    (node.warnings ?? []).map((message) => `\n${style.yellow(id)}: ${message}`),
  )
  return [
    `workflow ${workflow_id}`,
    `run      ${run_id}`,
    `status   ${status}, ${Math.floor(progress * 100)} %`,
    '',
    formatTable(['node', 'status', 'took', 'what'], rows),
    ...warnings,
    ...traces,
  ].join('\n')
}

function nodeWord({ status, progress }: NodeState): string {
  const style = styleFor(process.stdout)
  if (status === 'running') return `running ${Math.floor(progress * 100)} %`
  if (status === 'error') return style.red(status)
  return status === 'success' ? style.green(status) : status
}

function summary({ outputs }: NodeState): string {
  const made = Object.values(outputs).map((output) => output.summary)
  return [...new Set(made)].filter(Boolean).join(' · ') || UNKNOWN
}
