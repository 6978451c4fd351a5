import { STUDY_STATUSES, type StudySummary } from '@medloom/contracts'
import { Option } from 'commander'
import { type AddCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { age, shortId } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

export const addStudyList: AddCommand = (parent) =>
  parent
    .add('ls')
    .description('list the studies, newest first')
    .addOption(new Option('--status <status>', 'only studies with this status').choices(STUDY_STATUSES))
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom study ls --status running')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const status = options.status ? { status: options.status } : {}
      const page = await listUpTo(options.limit, 'studies', (query) =>
        client.listStudies({ ...query, ...status }),
      )
      print(options, page, ({ studies, next_page_token }) =>
        studies.length === 0
          ? 'There are no studies. Start one: medloom study run -f study.yaml'
          : studyTable(studies) + (next_page_token ? '\nThere are more; use --limit.' : ''),
      )
    })

function studyTable(studies: readonly StudySummary[]): string {
  const rows = studies.map(({ study_id, name, status, progress, created_at }) => [
    shortId(study_id),
    name,
    status,
    `${progress.completed}/${progress.total}`,
    String(progress.failed),
    age(created_at),
  ])
  return formatTable(['study', 'name', 'status', 'trainings', 'failed', 'created'], rows)
}
