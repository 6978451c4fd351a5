import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export const addBackbones: AddCommand = (parent, _context, name = 'backbones') =>
  parent
    .add(name)
    .description('list the vision backbones and their aliases')
    .example('medloom models backbones')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).listBackbones(), ({ backbones }) =>
        formatTable(
          ['backbone', 'family', 'aliases'],
          backbones.map(({ name, family, aliases }) => [name, family, aliases.join(', ')]),
        ),
      )
    })
