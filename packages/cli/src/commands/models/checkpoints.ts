import type { Checkpoint, ModelWithCheckpoints } from '@medloom/contracts'
import { type AddCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { bytes } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export const addCheckpoints: AddCommand = (parent) =>
  parent
    .add('checkpoints')
    .description('list the checkpoints of a model: best, last, then by epoch')
    .argument('<model>', 'model id')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom models checkpoints resnet18_gated_001')
    .action(async (model_id: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const page = await listUpTo(options.limit, 'checkpoints', (query) =>
        client.listModelCheckpoints({ model_id, ...query }),
      )
      print(
        options,
        page,
        ({ checkpoints, next_page_token }) =>
          checkpointTable(checkpoints) + (next_page_token ? '\nThere are more; use --limit.' : ''),
      )
    })

/** Reasons why checkpoints of a model cannot be read, each with its remedy; empty if all can be read. */
export function unreadableCheckpoints({ model_id, unreadable }: ModelWithCheckpoints): string {
  if (!unreadable) return ''
  const { code, error, details } = unreadable
  return `The checkpoints of ${model_id} cannot be read: ${code}, ${error}. ${details}`
}

export function checkpointTable(checkpoints: readonly Checkpoint[]): string {
  const rows = checkpoints.map(({ name, epoch, size_bytes, path }) => [
    name,
    String(epoch),
    bytes(size_bytes),
    path,
  ])
  return formatTable(['checkpoint', 'epoch', 'size', 'path'], rows)
}
