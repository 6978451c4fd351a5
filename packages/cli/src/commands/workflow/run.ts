import { randomUUID } from 'node:crypto'
import type { AddCommand } from '../../command.js'
import { followRun } from '../../follow/follow-run.js'
import { connect } from '../../service/connection.js'
import { shortId } from '../../terminal/format.js'
import { printJson, printJsonLine, printLine } from '../../terminal/print.js'
import { findRun } from '../../workflow-files/find-workflow.js'
import { selection, sendOrFind, withSelection } from './selection.js'

export const addRun: AddCommand = (parent, context) =>
  withSelection(parent.add('run'))
    .description('run a workflow and follow it; valid cached results are reused')
    .option('-r, --resume [run]', 'continue this run from the node that failed (default: the latest run)')
    .option('-d, --detach', 'start the run and do not follow it')
    .note('The exit status is 0 if every node succeeded, 1 if a node failed, 6 if the run was canceled.')
    .example(
      'medloom workflow run first.json',
      'medloom workflow run first.json --target images --force images',
      'medloom workflow run first.json --resume',
    )
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const workflowId = await sendOrFind(client, word, context)
      const resume = options.resume ? { from_run: await findRun(client, workflowId, options.resume) } : {}
      const answer = await client.executeWorkflow(
        { workflow_id: workflowId, ...selection(options), ...resume },
        { idempotencyKey: randomUUID() },
      )
      if (!('run_id' in answer)) throw new TypeError('the service answered a plan instead of a run')
      if (!options.detach) {
        if (options.json) printJsonLine(answer)
        else printLine(`workflow ${workflowId}\nrun      ${answer.run_id}`)
        context.exitCode = await followRun(client, workflowId, answer.run_id, { json: options.json ?? false })
      } else if (options.json) printJson(answer)
      else
        printLine(
          `run ${answer.run_id} of workflow ${workflowId}\nTo follow: medloom workflow status ${shortId(workflowId)} --watch`,
        )
    })
