import type { Distribution } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { number, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { cellText } from './cases.js'
import { findDataset } from './show.js'

export const addDatasetDistribution: AddCommand = (parent) =>
  parent
    .add('distribution')
    .description('count the values of a column, or its numbers in bins, by split and class')
    .argument('<dataset>', 'dataset id or name')
    .argument('<column>', 'column name')
    .example('medloom datasets distribution study age')
    .action(async (word: string, column: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const dataset_id = await findDataset(client, word)
      print(options, await client.getDistribution({ dataset_id, column }), distributionTable)
    })

function distributionTable({ edges, values, groups }: Distribution): string {
  const names = values?.map(cellText) ?? bins(edges ?? [])
  const head = ['value', ...groups.map((group) => `${group.split ?? UNKNOWN} ${group.class ?? UNKNOWN}`)]
  const counts = names.map((name, index) => [
    name,
    ...groups.map((group) => String(group.counts[index] ?? 0)),
  ])
  const others = [
    ['(other)', ...groups.map(({ rest }) => String(rest))],
    ['(missing)', ...groups.map(({ missing }) => String(missing))],
  ].filter(([, ...cells]) => cells.some((cell) => cell !== '0'))
  return formatTable(head, [...counts, ...others])
}

function bins(edges: readonly number[]): string[] {
  return edges.slice(0, -1).map((from, index) => `${number(from)} to ${number(edges[index + 1] ?? from)}`)
}
