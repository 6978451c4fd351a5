import type { MedloomClient } from '@medloom/client/node'
import type { AddCommand } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { pages } from '../../service/pages.js'
import { print } from '../../terminal/print.js'
import { datasetPage } from './page.js'

export const addDatasetShow: AddCommand = (parent) =>
  parent
    .add('show')
    .description('show one dataset')
    .argument('<dataset>', 'dataset id or name')
    .example('medloom datasets show study')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const datasetId = await findDataset(client, word)
      print(options, await client.getDataset({ dataset_id: datasetId }), datasetPage)
    })

/** The id of a dataset that is given by name or id. An unknown word counts as an id; the service reports that it is unknown. */
export async function findDataset(client: MedloomClient, word: string): Promise<string> {
  const found: string[] = []
  const all = pages(Number.POSITIVE_INFINITY, 'datasets', (query) => client.listDatasets(query))
  for await (const { datasets } of all)
    for (const { dataset_id, name } of datasets) {
      if (dataset_id === word) return word
      if (name === word) found.push(dataset_id)
    }
  if (found.length > 1)
    throw new UsageError(
      `${found.length} datasets have the name "${word}".`,
      'Use the id; "medloom datasets ls" lists the ids.',
    )
  return found[0] ?? word
}
