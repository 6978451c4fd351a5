import { resolve } from 'node:path'
import { type AddCommand, collect, type MedloomCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { datasetPage, inspectionPage } from './page.js'

interface InputOptions {
  imageRoot?: string
  label?: string
  patient?: string
  positive?: string
  ignore?: string[]
}

export const addDatasetRegister: AddCommand = (parent) =>
  withInput(parent.add('add'))
    .description(
      'register a CSV; a folder with train.csv, val.csv and test.csv, or with one CSV; or a folder with one subfolder of images per class',
    )
    .option('-n, --name <name>', 'name (default: the name of the file or folder)')
    .example(
      'medloom datasets add study/train.csv --name study',
      'medloom datasets add study --ignore biopsed --ignore cancer',
    )
    .action(async (path: string, _, command) => {
      const options = command.optsWithGlobals()
      const name = options.name ? { name: options.name } : {}
      const request = { ...inputFrom(path, options), ...name }
      print(options, await connect(options).registerDataset(request), datasetPage)
    })

export const addDatasetInspect: AddCommand = (parent) =>
  withInput(parent.add('inspect'))
    .description('infer the roles of the columns and check readiness, without registering')
    .example('medloom datasets inspect study/train.csv --label diagnosis')
    .action(async (path: string, _, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).inspectDataset(inputFrom(path, options)), inspectionPage)
    })

function withInput(command: MedloomCommand): MedloomCommand {
  return command
    .argument('<path>', 'CSV file or folder')
    .option('--image-root <folder>', 'folder that image paths are relative to')
    .option('--label <column>', 'label column')
    .option('--patient <column>', 'patient column')
    .option('--positive <class>', 'positive one of two classes: sensitivity speaks of it')
    .option('--ignore <column>', 'leave out a column: LoadDataset does not output it; repeatable', collect)
}

function inputFrom(path: string, options: InputOptions) {
  return {
    path: resolve(path),
    ...(options.imageRoot ? { image_root: resolve(options.imageRoot) } : {}),
    ...(options.label ? { label_column: options.label } : {}),
    ...(options.patient ? { patient_column: options.patient } : {}),
    ...(options.positive ? { positive_class: options.positive } : {}),
    ...(options.ignore?.length ? { ignore_columns: options.ignore } : {}),
  }
}
