import type { Capacity } from '../../launchers/launcher.js'
import type { JobRecord } from '../job-record.js'
import { type Admission, admit, deviceFor, type Waiting } from './admission.js'

/** The queue. It starts jobs in order of acceptance, as many as the launcher has room for. */
export class Scheduler {
  #waiting: Waiting[] = []
  readonly #running = new Map<string, Admission>()
  #closed = false

  /**
   * @param capacity what there is to train on now.
   * @param run resolves once the job has left its place.
   */
  constructor(
    readonly capacity: () => Promise<Capacity>,
    readonly run: (jobId: string, device: string | null) => Promise<void>,
  ) {}

  enqueue(job: Pick<JobRecord, 'job_id' | 'config'>): void {
    this.#waiting.push({ job_id: job.job_id, device: job.config.training.device })
    void this.#wake()
  }

  /** A job whose trainer was submitted by an earlier service occupies the place where it trains. */
  adopt(job: Pick<JobRecord, 'job_id' | 'config' | 'prepared'>): void {
    const device = job.prepared?.device ?? job.config.training.device
    const places = /^cuda:[\d,]+$/.test(device)
      ? device
          .slice(5)
          .split(',')
          .map((number) => `cuda:${number}`)
      : [device.split(':')[0] ?? device]
    this.#begin({ job_id: job.job_id, device, places }, null)
  }

  remove(jobId: string): void {
    this.#waiting = this.#waiting.filter((job) => job.job_id !== jobId)
  }

  close(): void {
    this.#closed = true
    this.#waiting = []
  }

  async #wake(): Promise<void> {
    const capacity = await this.capacity()
    if (this.#closed) return
    for (const admission of admit(this.#waiting, [...this.#running.values()], capacity)) {
      this.remove(admission.job_id)
      this.#begin(admission, deviceFor(admission, capacity))
    }
  }

  #begin(admission: Admission, device: string | null): void {
    this.#running.set(admission.job_id, admission)
    void this.run(admission.job_id, device).finally(() => {
      this.#running.delete(admission.job_id)
      void this.#wake()
    })
  }
}
