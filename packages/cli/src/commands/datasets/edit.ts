import { type AddCommand, collect } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { datasetPage } from './page.js'
import { rolesFrom } from './roles.js'
import { findDataset } from './show.js'

export const addDatasetEdit: AddCommand = (parent) =>
  parent
    .add('edit')
    .description(
      'change the name, the note, roles of columns or the positive class; trainings keep what they know',
    )
    .argument('<dataset>', 'data set id or name')
    .option('-n, --name <name>', 'another name')
    .option('--note <text>', 'free text; empty: none')
    .option('--role <column=role>', 'what a column is for, or "inferred"; repeatable', collect)
    .option('--positive <class>', 'positive one of two classes')
    .option('--inspect', 'inspect the files again, such as after they have changed')
    .example('medloom datasets edit study --role biopsed=ignored --note "biopsed is known only afterwards"')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const { name, note, role, positive, inspect } = options
      if ([name, note, role, positive, inspect].every((given) => given === undefined))
        throw new UsageError('Nothing is changed.', 'Give --name, --note, --role, --positive or --inspect.')
      const client = connect(options)
      const dataset_id = await findDataset(client, word)
      const before = role ? ((await client.getDataset({ dataset_id })).roles ?? {}) : {}
      const edited = await client.editDataset({
        dataset_id,
        ...(name === undefined ? {} : { name }),
        ...(note === undefined ? {} : { note }),
        ...(positive === undefined ? {} : { positive_class: positive }),
        ...(inspect ? { inspect: true as const } : {}),
        ...(role ? { roles: rolesFrom(role, before) } : {}),
      })
      print(options, edited, datasetPage)
    })
