import { counted } from '@medloom/contracts'
import { type AddCommand, addGroup, type MedloomCommand } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { bytes } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'

export const addCache: AddCommand = (parent) => {
  const cache = addGroup(parent, 'cache', 'show or clear the cached results of nodes', 'show')
  addShow(cache)
  addClear(cache)
  return cache
}

function addShow(cache: MedloomCommand): void {
  cache
    .add('show')
    .description('show the number and size of cached results')
    .example('medloom workflow cache')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(
        options,
        await connect(options).getCache(),
        ({ results, files, size_bytes }) =>
          `${counted(results, 'result')}, ${counted(files, 'file')}, ${bytes(size_bytes)}`,
      )
    })
}

function addClear(cache: MedloomCommand): void {
  cache
    .add('clear')
    .description('remove the cached results of a workflow, of one of its nodes, or all')
    .argument('[workflow]', 'file, id or name')
    .option('--node <node>', 'only the results of this node')
    .option('--all', 'the results of all workflows')
    .example('medloom workflow cache clear first.json --node train', 'medloom workflow cache clear --all')
    .action(async (word: string | undefined, _, command) => {
      const options = command.optsWithGlobals()
      if ((word === undefined) === (options.all !== true) || (options.all && options.node))
        throw new UsageError(
          'Specify either a workflow (with or without --node) or --all.',
          'For example: medloom workflow cache clear first.json --node train',
        )
      const client = connect(options)
      const answer =
        word === undefined
          ? await client.clearCache()
          : await client.clearWorkflowCache({
              workflow_id: await findWorkflow(client, word),
              ...(options.node ? { node: options.node } : {}),
            })
      print(options, answer, ({ cleared }) => `${counted(cleared, 'result')} removed`)
    })
}
