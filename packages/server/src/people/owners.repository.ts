import type { Owned } from '@medloom/contracts'
import type { Database } from '../database/database.js'
import type { Announcements } from '../files/announcements.js'
import { ModelsRepository } from '../models/models.repository.js'

/** Whose things are, which waits for no transaction. */
export class OwnersRepository {
  private readonly models: ModelsRepository

  constructor(
    private readonly database: Database,
    private readonly uploads: Pick<Announcements, 'find'>,
  ) {
    this.models = new ModelsRepository(database)
  }

  /** The id of what a request names, which of a model may be an alias: it may name another one soon. */
  async idOf(owned: Owned, name: string): Promise<string> {
    if (owned !== 'model') return name
    return (await this.models.find(name, this.database.reading))?.model_id ?? name
  }

  /** Null: nobody's, or of a version that kept no owner; undefined: it does not exist. */
  async of(owned: Owned, id: string): Promise<string | null | undefined> {
    if (owned === 'model') {
      const model = await this.models.find(id, this.database.reading)
      return model && ((await this.#owner('jobs', 'job_id', model.job_id)) ?? null)
    }
    if (owned === 'workflow_run') return this.#ownerOfNewestRun(id)
    if (owned === 'upload') return (await this.uploads.find(id))?.owner
    const [table, key] = TABLES[owned]
    return this.#owner(table, key, id)
  }

  async #owner(
    table: (typeof TABLES)[keyof typeof TABLES][0],
    key: (typeof TABLES)[keyof typeof TABLES][1],
    id: string,
  ): Promise<string | null | undefined> {
    const row = await this.database.reading
      .selectFrom(table)
      .select('owner')
      .where(({ eb, ref }) => eb(ref(key as never), '=', id as never))
      .executeTakeFirst()
    return row?.owner
  }

  /** The run of a workflow that a request without an id of a run means. */
  async #ownerOfNewestRun(workflowId: string): Promise<string | null | undefined> {
    const row = await this.database.reading
      .selectFrom('workflow_runs')
      .select('owner')
      .where('workflow_id', '=', workflowId)
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.owner
  }
}

const TABLES = {
  job: ['jobs', 'job_id'],
  study: ['studies', 'study_id'],
  dataset: ['datasets', 'dataset_id'],
  task: ['tasks', 'task_id'],
  workflow: ['workflows', 'workflow_id'],
} as const
