import type { FileEntry } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { age, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

const PAGE = 1000

export const addFilesList: AddCommand = (parent) =>
  parent
    .add('ls')
    .description('list the folders that the service may read, or the contents of one folder')
    .argument('[folder]', 'path of a folder on the service (default: all folders that it may read)')
    .example('medloom files ls', 'medloom files ls /data/study')
    .action(async (folder: string | undefined, _, command) => {
      const options = command.optsWithGlobals()
      const place = folder === undefined ? {} : { path: folder }
      const listing = await connect(options).listFiles({ ...place, page_size: PAGE })
      print(options, listing, ({ entries, total }) =>
        entries.length === 0
          ? 'The folder is empty.'
          : fileTable(entries) + (total > entries.length ? `\nThe first ${entries.length} of ${total}.` : ''),
      )
    })

function fileTable(entries: readonly FileEntry[]): string {
  const rows = entries.map(({ name, kind, size_bytes, modified_at, path }) => [
    name,
    kind,
    size_bytes === null ? UNKNOWN : String(size_bytes),
    age(modified_at),
    path,
  ])
  return formatTable(['name', 'kind', 'bytes', 'changed', 'path'], rows)
}
