import type { Versions } from '@medloom/workflow'
import type { TaskPool } from './task-pool.js'

/** Versions in the environment of the trainer: queried once, and again only after a failure. */
export class SoftwareVersions {
  #asked: Promise<Versions> | undefined

  constructor(private readonly pool: Pick<TaskPool, 'run'>) {}

  /** @throws AppError when Python does not respond. */
  readonly get = (): Promise<Versions> => {
    this.#asked ??= this.pool.run('software', {}).catch((error) => {
      this.#asked = undefined
      throw error
    })
    return this.#asked
  }
}
