import type { Versions } from '@medloom/workflow'
import { memoizeSuccess } from '../concurrency/memoize-success.js'
import type { TaskPool } from './task-pool.js'

/** Versions in the environment of the trainer: queried once, and again only after a failure. */
export class SoftwareVersions {
  constructor(private readonly pool: Pick<TaskPool, 'run'>) {}

  /** @throws AppError when Python does not respond. */
  readonly get = memoizeSuccess((): Promise<Versions> => this.pool.run('software', {}))
}
