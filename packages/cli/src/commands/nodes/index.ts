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
  const nodes = addGroup(program, 'nodes', 'list workflow nodes, and write custom nodes').note(
    'A custom node is a Python file in the folder of custom nodes: medloom serve --nodes my-nodes\n' +
      'The files run with the permissions of the service: put only trusted files there.',
  )
  for (const add of [addList, addCheckNodes, addNewNode]) add(nodes, context)
}

const addList: AddCommand = (parent) =>
  parent
    .add('ls')
    .description('list the nodes for workflows')
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
    .description('check the custom nodes of the service for problems')
    .example('medloom nodes check')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const { nodes, custom } = await connect(options).listNodes()
      if (!custom)
        throw new UsageError(
          'The service has no custom nodes.',
          'Start the service with a folder: medloom serve --nodes my-nodes',
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
    .description('write a working example of a custom node')
    .argument('<name>', 'name of the file, for example keep_rows')
    .option('--folder <folder>', 'folder of the file', '.')
    .example('medloom nodes new keep_rows --folder my-nodes')
    .action(async (name: string, _, command) => {
      const options = command.optsWithGlobals()
      const file = name.endsWith('.py') ? name : `${name}.py`
      if (!/^[a-z][a-z0-9_]{0,59}\.py$/.test(file))
        throw new UsageError(
          `"${name}" is not a valid node name.`,
          'Use lowercase letters, digits and underscores, for example keep_rows.',
        )
      const type = typeOfFile(file)
      if (isNodeType(type)) throw new UsageError(`The node ${type} already exists.`, 'Choose another name.')
      mkdirSync(fromCurrentFolder(options.folder), { recursive: true })
      const path = join(options.folder, file)
      writeNewFile(path, customNodeTemplate(file))
      print(options, { path, type }, () =>
        [`${path}: node ${type}`, `To use it: medloom serve --nodes ${options.folder}`].join('\n'),
      )
    })
