import { type ReportTexts, Slices } from '@medloom/contracts'
import { Option } from 'commander'
import { type AddCommand, collect, type MedloomCommand, wholeNumber } from '../../command.js'
import { readRecipe } from '../../config/read-recipe.js'
import { readReportFile } from '../../config/report-file.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'
import { datasetPage, inspectionPage } from './page.js'
import { rolesFrom } from './roles.js'

interface InputOptions {
  imageRoot?: string
  label?: string[]
  time?: string
  event?: string
  patient?: string
  role?: string[]
  positive?: string
  recipe?: string
  ignore?: string[]
  slices?: number
  axis?: Slices['axis']
  spread?: Slices['spread']
}

export const addDatasetRegister: AddCommand = (parent) =>
  withInput(parent.add('add'))
    .description(
      'register a CSV, a folder with train.csv, val.csv and test.csv or with one CSV, or a folder with one subfolder of images per class',
    )
    .option('-n, --name <name>', 'name (default: the name of the file or folder)')
    .option(
      '--report <file>',
      'YAML or JSON file with texts for reports, at the top level or in the section report (default: the registered texts)',
    )
    .example(
      'medloom datasets add study/train.csv --name study',
      'medloom datasets add study --ignore biopsed --ignore cancer',
      'medloom datasets add study --report study/report.yaml',
    )
    .action(async (path: string, _, command) => {
      const options = command.optsWithGlobals()
      const name = options.name ? { name: options.name } : {}
      const report = options.report ? { report: readReportFile(options.report) as ReportTexts } : {}
      const request = { ...inputFrom(path, options), ...name, ...report }
      print(options, await connect(options).registerDataset(request), datasetPage)
    })

export const addDatasetExample: AddCommand = (parent) =>
  parent
    .add('example')
    .description('create the synthetic example dataset on the service and register it')
    .example('medloom datasets example')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).makeExample(), ({ dataset }) => datasetPage(dataset))
    })

export const addDatasetInspect: AddCommand = (parent) =>
  withInput(parent.add('inspect'))
    .description('infer the roles of the columns and check readiness, without registering')
    .example(
      'medloom datasets inspect study/train.csv --label diagnosis',
      'medloom datasets inspect study/survival.csv --time days --event dead',
      'medloom datasets inspect study/mr.csv --slices 5 --axis coronal',
      'medloom datasets inspect HAM10000 --recipe recipe.yaml',
    )
    .action(async (path: string, _, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).inspectDataset(inputFrom(path, options)), inspectionPage)
    })

function withInput(command: MedloomCommand): MedloomCommand {
  return command
    .argument('<path>', 'CSV file or folder')
    .option('--image-root <folder>', 'folder that image paths are relative to')
    .option('--label <column>', 'label column; repeat it for several binary labels', collect)
    .option('--time <column>', 'survival: column of the follow-up time; with --event')
    .option('--event <column>', 'survival: column of the event indicator (yes or no)')
    .option('--patient <column>', 'patient column')
    .option('--role <column=role>', 'role of a column, for example code=categorical; repeatable', collect)
    .option('--positive <class>', 'positive class, if there are two classes')
    .option(
      '--recipe <file>',
      'YAML or JSON file with the recipe that makes the table, as medloom data adopt writes it: in data.recipe, or at the top level',
    )
    .option('--ignore <column>', 'exclude a column; repeatable', collect)
    .option('--slices <n>', 'number of slices per volume; each slice is a view', wholeNumber)
    .addOption(
      new Option('--axis <plane>', 'plane of the slices').choices(Slices.shape.axis.unwrap().options),
    )
    .addOption(
      new Option(
        '--spread <over>',
        'space the slices over those with content, or over the whole volume',
      ).choices(Slices.shape.spread.unwrap().options),
    )
}

function inputFrom(path: string, options: InputOptions) {
  return {
    path: fromCurrentFolder(path),
    ...(options.imageRoot ? { image_root: fromCurrentFolder(options.imageRoot) } : {}),
    ...labelFrom(options),
    ...(options.time ? { time_column: options.time } : {}),
    ...(options.event ? { event_column: options.event } : {}),
    ...(options.patient ? { patient_column: options.patient } : {}),
    ...(options.role ? { roles: rolesFrom(options.role) } : {}),
    ...(options.positive ? { positive_class: options.positive } : {}),
    ...(options.recipe ? { recipe: readRecipe(options.recipe) } : {}),
    ...(options.ignore?.length ? { ignore_columns: options.ignore } : {}),
    ...slicesFrom(options),
  }
}

function labelFrom({ label = [] }: InputOptions) {
  const [only, ...others] = label
  if (others.length > 0) return { label_columns: label }
  return only === undefined ? {} : { label_column: only }
}

function slicesFrom({ slices, axis, spread }: InputOptions) {
  const named = {
    ...(slices === undefined ? {} : { count: slices }),
    ...(axis ? { axis } : {}),
    ...(spread ? { spread } : {}),
  }
  return Object.keys(named).length > 0 ? { slices: named } : {}
}
