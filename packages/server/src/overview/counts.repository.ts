import { JOB_STATUSES, type ServiceUsage, STUDY_STATUSES } from '@medloom/contracts'
import type { Database } from '../database/database.js'

/** Counts the items of the service by kind and state. */
export class CountsRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<ServiceUsage['counts']> {
    const [jobs, studies] = await Promise.all([this.#byStatus('jobs'), this.#byStatus('studies')])
    const unfinished = await this.database
      .selectFrom('workflow_runs')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('ended_at', 'is', null)
      .executeTakeFirstOrThrow()
    return {
      jobs: withAll(JOB_STATUSES, jobs),
      studies: withAll(STUDY_STATUSES, studies),
      runs: { unfinished: unfinished.count },
      models: await this.#all('models'),
      datasets: await this.#all('datasets'),
    }
  }

  async #byStatus(table: 'jobs' | 'studies'): Promise<Map<string, number>> {
    const rows = await this.database
      .selectFrom(table as 'jobs')
      .select((select) => ['status', select.fn.countAll<number>().as('count')])
      .groupBy('status')
      .execute()
    return new Map(rows.map(({ status, count }) => [status, count]))
  }

  async #all(table: 'models' | 'datasets'): Promise<number> {
    const { count } = await this.database
      .selectFrom(table as 'models')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  }
}

function withAll<Name extends string>(names: readonly Name[], counts: ReadonlyMap<string, number>) {
  return Object.fromEntries(names.map((name) => [name, counts.get(name) ?? 0])) as Record<Name, number>
}
