import type { PreparedCache } from '@medloom/contracts'
import { type AddCommand, addGroup, type MedloomCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { age, bytes, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export const addPreparedImages: AddCommand = (parent) => {
  const cache = addGroup(parent, 'cache', 'show or clear the prepared images', 'show')
  addShow(cache)
  addClear(cache)
  return cache
}

function addShow(cache: MedloomCommand): void {
  cache
    .add('show')
    .description('list the stores of prepared images with their sizes')
    .example('medloom system cache')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getPreparedCache(), cachePage)
    })
}

function addClear(cache: MedloomCommand): void {
  cache
    .add('clear')
    .description('remove unused prepared images; they are prepared again when needed')
    .example('medloom system cache clear')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(
        options,
        await connect(options).clearPreparedCache(),
        ({ cleared, freed_bytes, kept }) =>
          `${cleared} stores removed, ${bytes(freed_bytes)} freed${kept > 0 ? `; ${kept} in use and kept` : ''}`,
      )
    })
}

function cachePage({ limit_bytes, size_bytes, stores }: PreparedCache): string {
  const limit = limit_bytes === null ? 'no limit' : `of ${bytes(limit_bytes)}`
  const rows = stores.map((store) => [
    store.image_size?.join(' × ') ?? UNKNOWN,
    store.depth === null ? UNKNOWN : `${store.depth} bit`,
    String(store.images),
    bytes(store.size_bytes),
    store.in_use ? 'in use' : age(store.last_used_at),
  ])
  return [
    `prepared images: ${bytes(size_bytes)}, ${limit}`,
    ...(rows.length > 0
      ? [formatTable(['image size', 'depth', 'images', 'on disk', 'last used'], rows)]
      : []),
  ].join('\n')
}
