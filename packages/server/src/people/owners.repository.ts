import type { Owned } from '@medloom/contracts'
import type { Database } from '../database/database.js'
import type { Announcements } from '../files/announcements.js'
import { AliasesRepository } from '../models/aliases.repository.js'
import { ModelsRepository } from '../models/models.repository.js'

/** Reads the owners of items, without waiting for a transaction. */
export class OwnersRepository {
  private readonly models: ModelsRepository

  constructor(
    private readonly database: Database,
    private readonly uploads: Pick<Announcements, 'find'>,
  ) {
    this.models = new ModelsRepository(database)
  }

  /** The id of the item that a request names. A model may be named by an alias, which can soon refer to another model. */
  async idOf(owned: Owned, name: string): Promise<string> {
    if (owned !== 'model') return name
    return (await this.models.find(name, this.database.reading))?.model_id ?? name
  }

  /** Null: no owner, or from a version that did not store owners; undefined: the item does not exist. */
  async find(owned: Owned, id: string): Promise<string | null | undefined> {
    if (owned === 'model') {
      const model = await this.models.find(id, this.database.reading)
      return model && ((await this.#owner('jobs', 'job_id', model.job_id)) ?? null)
    }
    if (owned === 'workflow_run') return this.#ownerOfNewestRun(id)
    if (owned === 'alias') return new AliasesRepository(this.database).owner(id)
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

  /** Owner of the run that a request without a run id refers to. */
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
  prediction: ['prediction_files', 'prediction_id'],
  follow_up: ['follow_ups', 'follow_up_id'],
} as const
