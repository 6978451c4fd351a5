import type { Command } from 'commander'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { bytes } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { findWorkflow } from '../../workflow-files/find-workflow.js'

export function addCache(workflow: Command): void {
  const cache = workflow.command('cache').description('show or clear the cached results of nodes')

  cache
    .command('show', { isDefault: true })
    .description('how many results are cached, and what they occupy')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      print(
        options,
        await connect(options).getCache(),
        ({ results, files, size_bytes }) => `${results} results, ${files} files, ${bytes(size_bytes)}`,
      )
    })

  cache
    .command('clear')
    .description('forget the results of a workflow, of one of its nodes, or all')
    .argument('[workflow]', 'file, id or name')
    .option('--node <node>', 'only the results of this node')
    .option('--all', 'the results of all workflows')
    .action(async (word: string | undefined, _, command: Command) => {
      const options = command.optsWithGlobals()
      if ((word === undefined) === (options.all !== true) || (options.all && options.node))
        throw new UsageError('It is not said what to clear.', 'Name a workflow (and --node), or give --all.')
      const client = connect(options)
      const answer =
        word === undefined
          ? await client.clearCache()
          : await client.clearWorkflowCache({
              workflow_id: await findWorkflow(client, word),
              ...(options.node ? { node: options.node } : {}),
            })
      print(options, answer, ({ cleared }) => `${cleared} results forgotten`)
    })
}
