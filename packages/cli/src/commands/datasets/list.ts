import type { DatasetSummary } from '@medloom/contracts'
import { type AddCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { age } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { readinessWord } from './page.js'

export const addDatasetList: AddCommand = (parent) =>
  parent
    .add('ls')
    .description('list the registered datasets, newest first')
    .option('--limit <n>', 'list at most this many (default: all)', wholeNumber)
    .example('medloom datasets ls')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const limit = options.limit ?? Number.POSITIVE_INFINITY
      const page = await listUpTo(limit, 'datasets', (query) => client.listDatasets(query))
      print(options, page, ({ datasets, next_page_token }) =>
        datasets.length === 0
          ? 'There are no datasets. Register one: medloom datasets add table.csv'
          : datasetTable(datasets) + (next_page_token ? '\nThere are more; use --limit.' : ''),
      )
    })

function datasetTable(datasets: readonly DatasetSummary[]): string {
  const rows = datasets.map((dataset) => [
    dataset.name,
    dataset.dataset_id,
    dataset.kind,
    String(dataset.num_cases),
    readinessWord(dataset.readiness.status),
    age(dataset.created_at),
  ])
  return formatTable(['name', 'id', 'kind', 'cases', 'readiness', 'created'], rows)
}
