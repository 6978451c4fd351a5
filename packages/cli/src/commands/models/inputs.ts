import type { RouteResponse } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { number, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

type Inputs = RouteResponse<'getModelInputs'>

export const addModelInputs: AddCommand = (parent) =>
  parent
    .add('inputs')
    .description('list the columns and images that a case of a model consists of, with units and ranges')
    .argument('<model>', 'model id or alias')
    .example('medloom models inputs champion')
    .action(async (model_id: string, _, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getModelInputs({ model_id }), inputsPage)
    })

/** Text output of the inputs of a model. */
export function inputsPage({ columns, images }: Inputs): string {
  const rows = columns.map(({ name, unit, range, categories, more_categories, missing }) => [
    name,
    unit ?? UNKNOWN,
    range ? `${number(range.low)} to ${number(range.high)}` : valuesOf(categories, more_categories),
    missing.read_as,
  ])
  const place = images.required ? 'image, required' : 'image'
  return formatTable(
    ['column', 'unit', 'training values', 'missing values'],
    [
      ...rows,
      ...images.columns.map((column) => [column, UNKNOWN, place, images.required ? 'refused' : 'gap']),
    ],
  )
}

function valuesOf(categories: readonly string[] | null, more: boolean): string {
  return categories === null ? UNKNOWN : [...categories, ...(more ? ['others'] : [])].join(', ')
}
