import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { counted, customNodeTemplate, isNodeType, type NodeCatalog, typeOfFile } from '@medloom/contracts'
import { type AddCommand, addGroup, type MedloomCommand } from '../../command.js'
import type { CommandContext } from '../../context.js'
import { EXIT, UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { styleFor } from '../../terminal/style.js'
import { formatTable } from '../../terminal/table.js'
import { fromCurrentFolder, terminal } from '../../terminal/terminal.js'
import { writeNewFile } from '../../workflow-files/write-new-file.js'

export function addNodes(program: MedloomCommand, context: CommandContext): void {
  const nodes = addGroup(program, 'nodes', 'list the nodes of workflows, and write nodes of your own').note(
    'A custom node is one Python file in a folder that the service is started with: medloom serve --nodes my-nodes\n' +
      'Its files run with the rights of the service, so only put files there that you trust.',
  )
  for (const add of [addList, addCheckNodes, addNewNode]) add(nodes, context)
}

const addList: AddCommand = (parent) =>
  parent
    .add('ls')
    .description('list the nodes that workflows can place')
    .option('--custom', 'custom nodes only')
    .example('medloom nodes ls --custom')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const { nodes, ...catalog } = await connect(options).listNodes()
      const shown = options.custom ? nodes.filter(({ source }) => source) : nodes
      print(options, { nodes: shown, ...catalog }, () =>
        [
          formatTable(
            ['node', 'group', 'title', 'file'],
            shown.map(({ type, group, title, source }) => [type, group, title, source?.file ?? '']),
          ),
          ...problemLines(catalog.custom),
        ].join('\n'),
      )
    })

const addCheckNodes: AddCommand = (parent, context) =>
  parent
    .add('check')
    .description('say what is wrong with the custom nodes of the service')
    .example('medloom nodes check')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const { nodes, custom } = await connect(options).listNodes()
      if (!custom)
        throw new UsageError(
          'The service has no custom nodes.',
          'Start it with a folder: medloom serve --nodes my-nodes',
        )
      const usable = nodes.filter(({ source }) => source).length
      print(options, { usable, ...custom }, () =>
        [...problemLines(custom), `${custom.folder}: ${counted(usable, 'usable node')}`].join('\n'),
      )
      if (custom.problems.length > 0) context.exitCode = EXIT.badInput
    })

function problemLines(custom: NodeCatalog['custom']): string[] {
  const style = styleFor(terminal().stdout)
  return (custom?.problems ?? []).map(({ file, line, path, message, remedy }) => {
    const place = [file, line, path].filter((part) => part !== null && part !== '').join(':')
    return `${style.yellow(place)} ${message}. ${remedy}`
  })
}

const addNewNode: AddCommand = (parent) =>
  parent
    .add('new')
    .description('write the file of a new node, which works and is to be changed')
    .argument('<name>', 'name of the file, such as keep_rows')
    .option('--folder <folder>', 'folder of the file', '.')
    .example('medloom nodes new keep_rows --folder my-nodes')
    .action(async (name: string, _, command) => {
      const options = command.optsWithGlobals()
      const file = name.endsWith('.py') ? name : `${name}.py`
      if (!/^[a-z][a-z0-9_]{0,59}\.py$/.test(file))
        throw new UsageError(
          `"${name}" is not a name of a node.`,
          'Use small letters, digits and underscores, such as keep_rows.',
        )
      const type = typeOfFile(file)
      if (isNodeType(type)) throw new UsageError(`There is a node ${type} already.`, 'Choose another name.')
      mkdirSync(fromCurrentFolder(options.folder), { recursive: true })
      const path = join(options.folder, file)
      writeNewFile(path, customNodeTemplate(file))
      print(options, { path, type }, () =>
        [`${path}: node ${type}`, `Use it: medloom serve --nodes ${options.folder}`].join('\n'),
      )
    })
