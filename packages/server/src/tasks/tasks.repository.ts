import { type BackgroundTask, LISTED_TASK_FIELD, type TaskSummary } from '@medloom/contracts'
import { sql } from 'kysely'
import type { Database } from '../database/database.js'
import type { TaskRow } from '../database/schema.js'
import { type Page, readPageToken, toPage } from '../http/pagination.js'

/** End of a task. */
export type TaskEnd = Pick<BackgroundTask, 'progress' | 'result' | 'error'> & {
  readonly state: Exclude<BackgroundTask['state'], 'running'>
}

export class TasksRepository {
  constructor(private readonly database: Database) {}

  async insert(
    task: Pick<BackgroundTask, 'task_id' | 'route' | 'request' | 'owner' | 'created_at'>,
  ): Promise<void> {
    const { request, ...columns } = task
    await this.database
      .insertInto('tasks')
      .values({ ...columns, request: JSON.stringify(request), state: 'running', progress: 0 })
      .execute()
  }

  /** Store the end of a task, and remove the oldest ended tasks except for `kept`. */
  async end(taskId: string, { result, error, ...end }: TaskEnd, retained: number): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('tasks')
        .set({
          ...end,
          result: result === null ? null : JSON.stringify(result),
          error: error === null ? null : JSON.stringify(error),
          ended_at: new Date().toISOString(),
        })
        .where('task_id', '=', taskId)
        .execute()
      const oldest = await transaction
        .selectFrom('tasks')
        .select('number')
        .where('state', '!=', 'running')
        .orderBy('number', 'desc')
        .offset(retained)
        .limit(1)
        .executeTakeFirst()
      if (oldest)
        await transaction
          .deleteFrom('tasks')
          .where('state', '!=', 'running')
          .where('number', '<=', oldest.number)
          .execute()
    })
  }

  /** Tasks that an earlier service did not end. */
  async running(): Promise<string[]> {
    const rows = await this.database
      .selectFrom('tasks')
      .select('task_id')
      .where('state', '=', 'running')
      .execute()
    return rows.map(({ task_id }) => task_id)
  }

  async find(taskId: string): Promise<BackgroundTask | undefined> {
    const row = await this.database
      .selectFrom('tasks')
      .selectAll()
      .where('task_id', '=', taskId)
      .executeTakeFirst()
    return row && { ...toSummary(row), result: row.result === null ? null : JSON.parse(row.result) }
  }

  async list(size: number, token: string | undefined, owner?: string): Promise<Page<TaskSummary>> {
    const before = readPageToken(token)
    let query = this.database
      .selectFrom('tasks')
      .select([...SUMMARY, shortRequest.as('short_request')])
      .orderBy('number', 'desc')
      .limit(size + 1)
    if (before !== undefined) query = query.where('number', '<', before)
    if (owner !== undefined) query = query.where('owner', '=', owner)
    const page = toPage(await query.execute(), size)
    const items: TaskSummary[] = []
    // One long request at a time, since each may have a megabyte.
    for (const { short_request, ...row } of page.items)
      items.push(toSummary({ ...row, request: short_request ?? (await this.#shortened(row.task_id)) }))
    return { ...page, items }
  }

  /** The request of a task without its long fields. */
  async #shortened(taskId: string): Promise<string> {
    const row = await this.database
      .selectFrom('tasks')
      .select('request')
      .where('task_id', '=', taskId)
      .executeTakeFirst()
    const fields = Object.entries(JSON.parse(row?.request ?? '{}'))
    return JSON.stringify(
      Object.fromEntries(fields.filter(([, value]) => JSON.stringify(value).length <= LISTED_TASK_FIELD)),
    )
  }
}

/** Null for a request that may have a field that is too long for a list. */
const shortRequest = sql<
  string | null
>`case when length(request) <= ${sql.lit(LISTED_TASK_FIELD)} then request end`

const SUMMARY = [
  'number',
  'task_id',
  'route',
  'state',
  'progress',
  'error',
  'owner',
  'created_at',
  'ended_at',
] as const satisfies readonly (keyof TaskRow)[]

function toSummary(row: Omit<TaskRow, 'number' | 'result'>): TaskSummary {
  const { task_id, route, request, state, progress, error, owner, created_at, ended_at } = row
  return {
    ...{
      task_id,
      route,
      request: JSON.parse(request),
      state: state as BackgroundTask['state'],
      progress,
      phase: '',
    },
    ...{ error: error === null ? null : JSON.parse(error), owner, created_at, ended_at },
  }
}
