import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { printJson, printLine } from '../../terminal/print.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'

export const addRemove: AddCommand = (parent) =>
  parent
    .add('rm')
    .description('delete workflows with their runs, project folders and cached results')
    .argument('<workflow...>', 'ids or names')
    .example('medloom workflow rm 4f1c')
    .action(async (words: string[], _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      for (const word of words) {
        const answer = await client.deleteWorkflow({ workflow_id: await findWorkflow(client, word) })
        if (options.json) printJson(answer)
        else printLine(`deleted ${answer.workflow_id}`)
      }
    })
