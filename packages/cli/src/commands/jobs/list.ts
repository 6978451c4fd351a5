import type { MedloomClient } from '@medloom/client/node'
import { JOB_STATUSES, type JobSummary } from '@medloom/contracts'
import { InvalidArgumentError, Option } from 'commander'
import { type AddCommand, collect, wholeNumber } from '../../command.js'
import { type ConnectionOptions, connect } from '../../service/connection.js'
import { findStudy } from '../../service/find-study.js'
import { listUpTo } from '../../service/pages.js'
import { age, bestScore, shortId, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { markOf } from './edit.js'
import { statusWord } from './status.js'

export const addJobList: AddCommand = (parent, _context, name = 'ls') =>
  parent
    .add(name)
    .description('list the jobs, newest first, without archived jobs')
    .argument('[words...]', 'only jobs with these words in name, tags, note or data path')
    .addOption(
      new Option('--status <status>', 'only jobs with this status; repeatable')
        .choices(JOB_STATUSES)
        .argParser(statuses),
    )
    .option('-t, --tag <tag>', 'only jobs with this tag; repeat it to require several tags', collect)
    .option('--study <id>', 'only the trainings of this study')
    .option('--owner <user>', 'only jobs of this user; "me" for your own jobs')
    .option('--pinned', 'only pinned jobs')
    .option('--archived', 'only archived jobs')
    .option('-a, --all', 'include archived jobs')
    .option(
      '--sort <by>',
      'created_at, name, status, duration, or a metric, for example val_auc',
      'created_at',
    )
    .option('--ascending', 'smallest first')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example(
      'medloom jobs ls --status running',
      'medloom jobs ls pad --tag baseline --sort val_auc',
      'medloom jobs ls --limit 5000 --json',
    )
    .action(async (words: string[], _, command) => {
      const options = command.optsWithGlobals() as ListOptions
      const client = connect(options)
      const filters = await queryOf(words, options, client)
      const page = await listUpTo(options.limit, 'jobs', (query) => client.listJobs({ ...query, ...filters }))
      const { queue } = await client.getHealth()
      const paused = queue
        ? `\nThe queue is paused: ${queue.message}. ${queue.remedy} Next attempt at ${queue.retry_at}.`
        : ''
      print(options, page, ({ jobs, total }) =>
        jobs.length === 0
          ? emptyList(filters)
          : jobTable(jobs) +
            (total > jobs.length ? `\n${jobs.length} of ${total}; use --limit.` : '') +
            paused,
      )
    })

interface ListOptions extends ConnectionOptions {
  status?: string[]
  tag?: string[]
  study?: string
  owner?: string
  pinned?: boolean
  archived?: boolean
  all?: boolean
  sort: string
  ascending?: boolean
  limit: number
  json?: boolean
}

/** @throws InvalidArgumentError for a word that is not a status. */
function statuses(value: string, before: readonly string[] = []): string[] {
  if (!(JOB_STATUSES as readonly string[]).includes(value))
    throw new InvalidArgumentError(`Allowed choices are ${JOB_STATUSES.join(', ')}.`)
  return [...before, value]
}

async function queryOf(words: readonly string[], options: ListOptions, client: MedloomClient) {
  const { status, tag, study, owner, pinned, archived, all, sort, ascending } = options
  return {
    ...(words.length > 0 ? { q: words.join(' ') } : {}),
    ...(status ? { status: status.join() } : {}),
    ...(tag ? { tags: tag.join() } : {}),
    ...(study === undefined ? {} : { study_id: await findStudy(client, study) }),
    ...(owner === undefined ? {} : { owner }),
    ...(pinned ? { pinned: 'true' as const } : {}),
    ...(all ? { archived: 'all' as const } : archived ? { archived: 'true' as const } : {}),
    order_by: ORDERS.includes(sort) || sort.startsWith('metrics.') ? sort : `metrics.${sort}`,
    order: ascending ? ('asc' as const) : ('desc' as const),
  }
}

const ORDERS = ['created_at', 'name', 'status', 'duration']

function emptyList({ order: _order, order_by: _by, ...filter }: Awaited<ReturnType<typeof queryOf>>): string {
  return Object.keys(filter).length > 0
    ? 'No matching jobs; "medloom jobs ls --all" lists all jobs.'
    : 'There are no jobs. Start one: medloom train -f config.yaml'
}

function jobTable(jobs: readonly JobSummary[]): string {
  const labeled = jobs.some((job) => markOf(job).length > 0)
  const rows = jobs.map((job) => [
    shortId(job.job_id),
    job.job_name,
    statusWord(job),
    `${job.epoch}/${job.total_epochs}`,
    bestScore(job),
    job.model_id ?? UNKNOWN,
    age(job.created_at),
    ...(labeled ? [markOf(job).join(' ')] : []),
  ])
  const heads = ['job', 'name', 'status', 'epoch', 'best', 'model', 'created']
  return formatTable(labeled ? [...heads, 'labels'] : heads, rows)
}
