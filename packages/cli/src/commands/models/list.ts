import { EPOCH_HEADLINE, type Model } from '@medloom/contracts'
import { type AddCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { age, number, shortId } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { unreadableCheckpoints } from './checkpoints.js'

export const addModelList: AddCommand = (parent) =>
  parent
    .add('ls')
    .description('list the models, newest first')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom models ls', 'medloom models ls --limit 2000 --json')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const page = await listUpTo(options.limit, 'models', (query) => client.listModels(query))
      print(options, page, ({ models, next_page_token }) =>
        models.length === 0
          ? 'There are no models. A training registers its model when it ends.'
          : [
              modelTable(models),
              ...models.map(unreadableCheckpoints).filter((line) => line !== ''),
              ...(next_page_token ? ['There are more; use --limit.'] : []),
            ].join('\n'),
      )
    })

function modelTable(models: readonly Model[]): string {
  const rows = models.map((model) => [
    model.model_id,
    model.task,
    EPOCH_HEADLINE[model.task].map((name) => `${name} ${number(model.metrics[name])}`).join('  '),
    shortId(model.job_id),
    age(model.created_at),
  ])
  return formatTable(['model', 'task', 'validation', 'job', 'created'], rows)
}
