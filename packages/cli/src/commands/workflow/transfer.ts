import { writeFileSync } from 'node:fs'
import { writeWorkflow } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { shortId } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { fromCurrentFolder, terminal } from '../../terminal/terminal.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'
import { importFile, linkFile } from '../../workflow-files/linked-files.js'
import { readWorkflowFile } from '../../workflow-files/workflow-file.js'
import { writeNewFile } from '../../workflow-files/write-new-file.js'

export const addImport: AddCommand = (parent) =>
  parent
    .add('import')
    .description('send a file to the service as a new workflow')
    .argument('<file>', 'a saved workflow; "-" reads standard input')
    .example('medloom workflow import shared.json')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const answer = await importFile(connect(options), readWorkflowFile(word))
      print(options, answer, ({ workflow_id, issues }) => {
        const check = `\n${issues.length} issues: medloom workflow check ${shortId(workflow_id)}`
        return `workflow ${workflow_id}${issues.length === 0 ? '' : check}`
      })
    })

export const addExport: AddCommand = (parent) =>
  parent
    .add('export')
    .description('write a workflow to a file')
    .argument('<workflow>', 'id or name')
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .option('--force', 'overwrite the file')
    .example('medloom workflow export first --output shared.json')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const workflowId = await findWorkflow(client, word)
      const { revision } = await client.getWorkflow({ workflow_id: workflowId })
      const text = writeWorkflow(await client.exportWorkflow({ workflow_id: workflowId }))
      if (!options.output) return void terminal().stdout.write(text)
      const path = fromCurrentFolder(options.output)
      if (options.force) writeFileSync(path, text)
      else writeNewFile(path, text)
      linkFile(client, { path, text }, { workflow_id: workflowId, revision })
      print(options, { workflow_id: workflowId, revision, path }, () => `wrote ${options.output}`)
    })
