import { counted, type LeaksFound } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { followTask } from '../../follow/follow-task.js'
import { connect } from '../../service/connection.js'
import { UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { findDataset } from './show.js'

const KINDS = { patient: 'same patient', same: 'same file', alike: 'near-duplicate image' } as const

export const addDatasetLeaks: AddCommand = (parent, context) =>
  parent
    .add('leaks')
    .description('search all images for leaks: pairs of cases in different splits; Ctrl-C cancels the search')
    .argument('<dataset>', 'dataset id or name')
    .example('medloom datasets leaks study')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const found = await followTask(client, 'findLeaks', { dataset_id: await findDataset(client, word) })
      if (found) print(options, found, leaksPage)
      else context.exitCode = EXIT.interrupted
    })

function leaksPage({ pairs, totals, unreadable, compared }: LeaksFound): string {
  const all = totals.patient + totals.same + totals.alike
  const place = ({ file, line, split }: LeaksFound['pairs'][number]['first']) =>
    `${file}:${line} (${split ?? UNKNOWN})`
  const rows = pairs.map(({ kind, first, second }) => [KINDS[kind], place(first), place(second)])
  return [
    all === 0 ? 'No leaks were found.' : formatTable(['leak', 'first case', 'second case'], rows),
    ...(all > pairs.length ? [`The first ${pairs.length} of ${all}.`] : []),
    ...(unreadable > 0 ? [`${counted(unreadable, 'unreadable image')} not compared.`] : []),
    ...(compared
      ? []
      : ['There are too many images to search for near-duplicates; only patients and files were compared.']),
  ].join('\n')
}
