import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { printJsonLine, printLine } from '../../terminal/print.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'

export const addCancel: AddCommand = (parent) =>
  parent
    .add('cancel')
    .description('cancel the run of a workflow and wait until its nodes have stopped')
    .argument('<workflow...>', 'files, ids or names')
    .example('medloom workflow cancel first.json')
    .action(async (words: string[], _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      for (const word of words) {
        const answer = await client.cancelWorkflow({ workflow_id: await findWorkflow(client, word) })
        if (options.json) printJsonLine(answer)
        else printLine(`run ${answer.run_id} is ${answer.status}`)
      }
    })
