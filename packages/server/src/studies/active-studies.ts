import type { StudiesRepository } from './studies.repository.js'
import { StudyRun, type StudyRunOptions } from './study-run.js'

/** The running studies. */
export class ActiveStudies {
  readonly #runs = new Map<string, StudyRun>()
  #closed = false

  constructor(private readonly options: StudyRunOptions) {}

  get(studyId: string): StudyRun | undefined {
    return this.#runs.get(studyId)
  }

  start(studyId: string): void {
    if (this.#closed) return
    const run = new StudyRun(studyId, this.options)
    this.#runs.set(studyId, run)
    void run.run().finally(() => {
      if (this.#runs.get(studyId) === run) this.#runs.delete(studyId)
    })
  }

  /** Continue the studies that an earlier service left running. */
  async recover(repository: StudiesRepository): Promise<void> {
    for (const studyId of await repository.running()) this.start(studyId)
  }

  /** Trainings continue; the next service takes over the studies. */
  detach(): void {
    this.#closed = true
    for (const run of this.#runs.values()) run.detach()
  }
}
