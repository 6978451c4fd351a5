import { JOB_STATUSES, type JobSummary } from '@medloom/contracts'
import { Option } from 'commander'
import { type AddCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { age, bestScore, shortId, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { statusWord } from './status.js'

export const addJobList: AddCommand = (parent, _context, name = 'ls') =>
  parent
    .add(name)
    .description('list the jobs, newest first')
    .addOption(new Option('--status <status>', 'only jobs with this status').choices(JOB_STATUSES))
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom jobs ls --status running', 'medloom jobs ls --limit 5000 --json')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const status = options.status ? { status: options.status } : {}
      const page = await listUpTo(options.limit, 'jobs', (query) => client.listJobs({ ...query, ...status }))
      const { queue } = await client.getHealth()
      const paused = queue
        ? `\nThe queue is paused: ${queue.message}. ${queue.remedy} Tried again at ${queue.retry_at}.`
        : ''
      print(options, page, ({ jobs, next_page_token }) =>
        jobs.length === 0
          ? 'There are no jobs. Start one: medloom train -f config.yaml'
          : jobTable(jobs) + (next_page_token ? '\nThere are more; use --limit.' : '') + paused,
      )
    })

function jobTable(jobs: readonly JobSummary[]): string {
  const rows = jobs.map((job) => [
    shortId(job.job_id),
    job.job_name,
    statusWord(job),
    `${job.epoch}/${job.total_epochs}`,
    bestScore(job),
    job.model_id ?? UNKNOWN,
    age(job.created_at),
  ])
  return formatTable(['job', 'name', 'status', 'epoch', 'best', 'model', 'created'], rows)
}
