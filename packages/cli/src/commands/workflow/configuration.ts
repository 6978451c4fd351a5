import { stringify } from 'yaml'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'
import { meansFile, readWorkflowFile } from '../../workflow-files/workflow-file.js'

export const addConfiguration: AddCommand = (parent) =>
  parent
    .add('configuration')
    .description('print a TrainModel node as a training configuration in YAML')
    .argument('<workflow>', 'file, id or name')
    .option('--node <id>', 'the TrainModel node (default: the only one)')
    .example('medloom workflow configuration first.json > training.yaml')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const workflow = meansFile(word)
        ? (readWorkflowFile(word).document as Record<string, unknown>)
        : (await client.getWorkflow({ workflow_id: await findWorkflow(client, word) })).workflow
      const request = { workflow, ...(options.node ? { node: options.node } : {}) }
      print(options, await client.configurationOfWorkflow(request), ({ config, unsaid }) =>
        [
          ...unsaid.map(
            ({ node, field, message }) => `# not included: ${node}${field ? `.${field}` : ''}: ${message}`,
          ),
          stringify(config).trimEnd(),
        ].join('\n'),
      )
    })
