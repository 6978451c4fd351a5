import { type AddCommand, collect } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'
import { datasetPage } from './page.js'
import { rolesFrom } from './roles.js'
import { findDataset } from './show.js'

export const addDatasetEdit: AddCommand = (parent) =>
  parent
    .add('edit')
    .description(
      'change the name, note, path, column roles or positive class; existing trainings are not affected',
    )
    .argument('<dataset>', 'dataset id or name')
    .option('-n, --name <name>', 'new name')
    .option('--note <text>', 'note; "" removes it')
    .option('--path <path>', 'new location of its table or folder')
    .option('--image-root <folder>', 'folder that image paths are relative to')
    .option('--role <column=role>', 'role of a column, or "inferred"; repeatable', collect)
    .option('--positive <class>', 'positive class, if there are two classes')
    .option('--inspect', 'inspect the files again, for example after a change')
    .example(
      'medloom datasets edit study --role biopsed=ignored --note "biopsed is known only afterwards"',
      'medloom datasets edit study --path archive/study/train.csv',
    )
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const { name, note, path, imageRoot, role, positive, inspect } = options
      if ([name, note, path, imageRoot, role, positive, inspect].every((given) => given === undefined))
        throw new UsageError(
          'There is nothing to change.',
          'Give --name, --note, --path, --image-root, --role, --positive or --inspect.',
        )
      const client = connect(options)
      const dataset_id = await findDataset(client, word)
      const before = role ? ((await client.getDataset({ dataset_id })).roles ?? {}) : {}
      const edited = await client.editDataset({
        dataset_id,
        ...(name === undefined ? {} : { name }),
        ...(note === undefined ? {} : { note }),
        ...(path === undefined ? {} : { path: fromCurrentFolder(path) }),
        ...(imageRoot === undefined ? {} : { image_root: fromCurrentFolder(imageRoot) }),
        ...(positive === undefined ? {} : { positive_class: positive }),
        ...(inspect ? { inspect: true as const } : {}),
        ...(role ? { roles: rolesFrom(role, before) } : {}),
      })
      print(options, edited, datasetPage)
    })
