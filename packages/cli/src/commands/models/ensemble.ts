import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { findStudy } from '../../service/find-study.js'
import { print } from '../../terminal/print.js'
import { nameOrFolder } from './compare.js'
import { modelPage } from './show.js'

export const addEnsemble: AddCommand = (parent, _context, name = 'ensemble') =>
  parent
    .add(name)
    .description('combine trained models into an ensemble that predicts their mean')
    .argument('[model...]', 'two or more model ids, or checkpoint folders of models')
    .option('--study <study>', 'combine the models of an ended study (id or name)')
    .option('--variant <name>', 'only the models of this variant of the study')
    .option('--name <name>', 'name of the ensemble')
    .example(
      'medloom models ensemble --study "fusion on our photos" --variant gated',
      'medloom models ensemble resnet18_gated_001 resnet18_gated_002',
    )
    .action(async (models: string[], _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const made = await client.createEnsemble({
        ...(options.study ? { study_id: await findStudy(client, options.study) } : {}),
        ...(models.length > 0 ? { models: models.map(nameOrFolder) } : {}),
        ...(options.variant ? { variant: options.variant } : {}),
        ...(options.name ? { name: options.name } : {}),
      })
      print(options, made, modelPage)
    })
