import { type CasesPage, counted } from '@medloom/contracts'
import { type AddCommand, collect, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { findDataset } from './show.js'

const USUAL_COLUMNS = 8

export const addDatasetCases: AddCommand = (parent) =>
  parent
    .add('cases')
    .description('list cases as a training reads them; values that may identify patients are masked')
    .argument('<dataset>', 'dataset id or name')
    .option('--filter <condition>', 'condition, for example "age >= 60 and sex = F"')
    .option('--split <name>', 'train, val or test')
    .option('--class <name>', 'only cases of this class')
    .option('--sort <column>', 'sort by this column')
    .option('--descending', 'largest first')
    .option('--column <name>', `show this column; repeatable (default: the first ${USUAL_COLUMNS})`, collect)
    .option('--identifiers', 'show values that may identify patients')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom datasets cases study --filter "age >= 60" --sort age --descending')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const dataset_id = await findDataset(client, word)
      const { columns } = await client.getDataset({ dataset_id })
      const page = await client.listCases({
        dataset_id,
        columns: options.column ?? columns.slice(0, USUAL_COLUMNS).map(({ name }) => name),
        page_size: Math.min(Math.max(options.limit, 1), 1000),
        ...(options.filter ? { filter: options.filter } : {}),
        ...(options.split ? { split: options.split } : {}),
        ...(options.class ? { class: options.class } : {}),
        ...(options.sort ? { order_by: options.sort } : {}),
        ...(options.descending ? { order: 'desc' as const } : {}),
        ...(options.identifiers ? { identifiers: 'true' as const } : {}),
      })
      print(options, page, casesTable)
    })

/** Removes escape characters, so that cell content cannot style the terminal. */
export function cellText(text: string): string {
  return text.replaceAll('\x1b', '?')
}

function casesTable({ columns, cases, total }: CasesPage): string {
  if (total === 0) return 'No matching cases.'
  const rows = cases.map(({ line, split, values, ...one }) => [
    String(line),
    split ?? UNKNOWN,
    one.class ?? UNKNOWN,
    ...values.map((value) => (value === null ? UNKNOWN : cellText(String(value)))),
  ])
  const table = formatTable(['line', 'split', 'class', ...columns.map(({ name }) => name)], rows)
  return total > cases.length ? `${table}\n${cases.length} of ${counted(total, 'case')}; use --limit.` : table
}
