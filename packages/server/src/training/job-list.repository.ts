import { JOB_STATUSES, type JobListQuery } from '@medloom/contracts'
import { type AliasableExpression, type ExpressionBuilder, sql } from 'kysely'
import { batches } from '../database/batches.js'
import type { Database } from '../database/database.js'
import type { Tables } from '../database/schema.js'
import type { KeysetPosition } from '../http/keyset-pagination.js'
import { toStoredPath } from '../security/named-roots.js'
import type { StoredPaths } from './configuration/stored-paths.js'
import type { JobRecord } from './job-record.js'
import {
  type InLists,
  type JobSummaryRecord,
  recordOf,
  STORED,
  SUMMARY,
  settingsOf,
  summaryOf,
} from './stored-job.js'

export type JobFilter = Pick<
  JobListQuery,
  'q' | 'tags' | 'status' | 'archived' | 'pinned' | 'study_id' | 'owner'
>
export type JobOrder = Pick<JobListQuery, 'order_by' | 'order'>

type OfJobs = ExpressionBuilder<Tables, 'jobs'>

/**
 * Lists of jobs. An index that contains every queried column gives the matching jobs and their order; the rows, which contain documents,
 * are read for one page only.
 */
export class JobListRepository {
  constructor(
    readonly database: Database,
    readonly paths: StoredPaths,
  ) {}

  /** Sort positions of the matching jobs, in order, starting after `after`. */
  places(
    filter: JobFilter,
    { order_by, order }: JobOrder,
    size: number,
    after?: KeysetPosition,
  ): Promise<KeysetPosition[]> {
    const byNumber = order_by === 'created_at'
    const matching = this.database
      .selectFrom('jobs')
      .select((jobs) => ['number', keyOf(jobs, order_by).as('key')])
      .where((jobs) => this.#matches(jobs, filter))
      .as('matching')
    let query = this.database.selectFrom(matching).select(['number', 'key']).limit(size)
    if (!byNumber) query = query.orderBy(({ eb }) => eb('key', 'is', null)).orderBy('key', order)
    // Among equal ones, the newest comes first.
    query = query.orderBy('number', byNumber ? order : 'desc')
    if (!after) return query.execute()
    const { key, number } = after
    const beyond = order === 'asc' ? '>' : '<'
    return query
      .where(({ eb, and, or }) => {
        if (byNumber) return eb('number', beyond, number)
        if (key === null) return and([eb('key', 'is', null), eb('number', '<', number)])
        const later = [eb('key', beyond, key), and([eb('key', '=', key), eb('number', '<', number)])]
        return or([...later, eb('key', 'is', null)])
      })
      .execute()
  }

  async count(filter: JobFilter): Promise<number> {
    const { count } = await this.database
      .selectFrom('jobs')
      .select((jobs) => jobs.fn.countAll<number>().as('count'))
      .where((jobs) => this.#matches(jobs, filter))
      .executeTakeFirstOrThrow()
    return count
  }

  /** Numbers of those of these jobs that exist. */
  async numbers(jobIds: readonly string[]): Promise<number[]> {
    if (jobIds.length === 0) return []
    const rows = await this.database
      .selectFrom('jobs')
      .select('number')
      .where('job_id', 'in', jobIds)
      .execute()
    return rows.map(({ number }) => number)
  }

  /** In the order of `numbers`, without the documents of the jobs. Jobs that were removed meanwhile are left out. */
  async summaries(numbers: readonly number[]): Promise<JobSummaryRecord[]> {
    const summaries: JobSummaryRecord[] = []
    for await (const some of batches(numbers)) {
      const rows = await this.database
        .selectFrom('jobs')
        .select(SUMMARY)
        .select((jobs) => jobs('note', '<>', '').as('has_note'))
        .where('number', 'in', some)
        .execute()
      summaries.push(...rows.map((row) => summaryOf(row, this.paths)))
    }
    return inOrder(summaries, numbers)
  }

  /** Like `summaries`, with everything that is stored. */
  async records(numbers: readonly number[]): Promise<(JobRecord & InLists)[]> {
    const records: (JobRecord & InLists)[] = []
    for await (const some of batches(numbers)) {
      const rows = await this.database
        .selectFrom('jobs')
        .select([...STORED, 'headline'])
        .where('number', 'in', some)
        .execute()
      for (const { headline, ...row } of rows)
        records.push({
          ...recordOf(row, this.paths),
          has_note: row.note !== '',
          settings: settingsOf(headline, this.paths),
        })
    }
    return inOrder(records, numbers)
  }

  /** Every tag with the number of its jobs, the most frequent first. */
  async tags(): Promise<{ tag: string; jobs: number }[]> {
    const rows = await this.database
      .selectFrom('jobs')
      .select((jobs) => ['tags', jobs.fn.countAll<number>().as('count')])
      // Written as SQL, since a partial index is used only for a condition without parameters.
      .where(sql<boolean>`tags <> '[]'`)
      .groupBy('tags')
      .execute()
    const counts = new Map<string, number>()
    for (const { tags, count } of rows)
      for (const tag of JSON.parse(tags) as string[]) counts.set(tag, (counts.get(tag) ?? 0) + count)
    return [...counts]
      .map(([tag, jobs]) => ({ tag, jobs }))
      .sort((a, b) => b.jobs - a.jobs || (a.tag < b.tag ? -1 : 1))
  }

  #matches(jobs: OfJobs, { q, tags = [], status, archived, pinned, study_id, owner }: JobFilter) {
    const words = q?.split(/\s+/).filter((word) => word !== '') ?? []
    return jobs.and([
      archived === 'all'
        ? jobs('archived', 'in', [0, 1])
        : jobs('archived', '=', Number(archived === 'true')),
      ...(status ? [jobs('status', 'in', status)] : []),
      ...(pinned === undefined ? [] : [jobs('pinned', '=', Number(pinned === 'true'))]),
      ...(study_id === undefined ? [] : [jobs('study_id', '=', study_id)]),
      ...(owner === undefined ? [] : [jobs('owner', '=', owner)]),
      ...tags.map((tag) => jobs('tags', 'like', pattern(`%${escaped(JSON.stringify(tag))}%`))),
      ...words.map((word) =>
        jobs.or([
          jobs('searched', 'like', pattern(`%${escaped(this.#asStored(word))}%`)),
          jobs('job_id', 'like', pattern(`${escaped(word)}%`)),
        ]),
      ),
    ])
  }

  /** The path of a table is searched in its stored form: relative to its root. */
  #asStored(word: string): string {
    const path = toStoredPath(this.paths.roots, word)
    return typeof path === 'string' ? path : path.path
  }
}

const METRICS = 'metrics.'

function keyOf(jobs: OfJobs, order_by: string): AliasableExpression<string | number | null> {
  if (order_by === 'name') return jobs.fn<string>('lower', ['job_name'])
  if (order_by === 'duration') return jobs.ref('duration_seconds')
  if (order_by === 'status')
    return sql<number>`case status ${sql.join(
      JOB_STATUSES.map((status, rank) => sql`when ${status} then ${sql.lit(rank)}`),
      sql` `,
    )} end`
  if (!order_by.startsWith(METRICS)) return jobs.ref('number')
  return jobs
    .selectFrom('job_best_metrics')
    .select('value')
    .whereRef('job_best_metrics.number', '=', 'jobs.number')
    .where('metric', '=', order_by.slice(METRICS.length))
    .$asScalar()
}

const pattern = (text: string) => sql<string>`${text} escape '\\'`

function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}

function inOrder<Item extends { number: number }>(
  items: readonly Item[],
  numbers: readonly number[],
): Item[] {
  const found = new Map(items.map((item) => [item.number, item]))
  return numbers.flatMap((number) => found.get(number) ?? [])
}
