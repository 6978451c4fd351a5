import { randomUUID } from 'node:crypto'
import type { AppError } from '../../errors.js'
import type { Capacity } from '../../launchers/launcher.js'
import type { JobRecord } from '../job-record.js'
import { type Admission, admit, deviceFor, needsAccelerator, type Waiting } from './admission.js'
import type { QueueGate } from './environment-fault.js'
import { cancelled, closing, type Hold, type HoldRequest, holdNothing, type Places } from './places.js'

/** What a job that starts was given. */
export interface Grant {
  /** What it occupies. */
  readonly places: readonly string[]
  /** The device in its spec. */
  readonly device: string
}

/** The queue. It starts jobs in order of acceptance, as many as the launcher has room for; evaluations take their turns among them. */
export class Scheduler implements Places {
  #waiting: Waiting[] = []
  readonly #running = new Map<string, Admission>()
  /** Of those that wait, the ones that are no jobs. */
  readonly #requests = new Map<string, HoldRequest>()
  /** Job → order of acceptance. */
  readonly #order = new Map<string, number>()
  #accepted = 0
  #closed = false

  /**
   * @param capacity what there is to train on now.
   * @param run resolves once the job has left its place, with what is wrong with the machine when it could not be started.
   * @param gate shut while something is wrong with the machine.
   */
  constructor(
    readonly capacity: () => Promise<Capacity>,
    readonly run: (jobId: string, grant: Grant | null) => Promise<AppError | null>,
    readonly gate: Pick<QueueGate, 'isShut' | 'shut'>,
  ) {}

  enqueue(job: Pick<JobRecord, 'job_id' | 'config'>): void {
    this.#join({ id: job.job_id, device: job.config.training.device })
    void this.#wake()
  }

  /** A job whose trainer was submitted by an earlier service occupies the place where it trains. */
  adopt(job: Pick<JobRecord, 'job_id' | 'config' | 'prepared' | 'places'>): void {
    const { device } = job.config.training
    const places = job.places ?? placesOf(job.prepared?.device ?? device)
    this.#begin({ id: job.job_id, device, places }, null)
  }

  remove(jobId: string): void {
    this.#waiting = this.#waiting.filter(({ id }) => id !== jobId)
  }

  async hold(device: string, signal: AbortSignal): Promise<Hold> {
    const capacity = await this.capacity()
    if (signal.aborted) throw cancelled()
    if (this.#closed) throw closing()
    if (!needsAccelerator(device, capacity)) return holdNothing(device)
    return new Promise((resolve, reject) => {
      const leave = this.#request(device, { given: resolve, refused: reject })
      signal.addEventListener('abort', () => leave(cancelled()), { once: true })
      this.#admit(capacity)
    })
  }

  async tryHold(device: string): Promise<Hold | null> {
    const capacity = await this.capacity()
    if (!needsAccelerator(device, capacity)) return holdNothing(device)
    const given: Hold[] = []
    const leave = this.#request(device, { given: (hold) => given.push(hold), refused: () => undefined })
    this.#admit(capacity)
    leave()
    return given[0] ?? null
  }

  close(): void {
    this.#closed = true
    this.#waiting = []
    for (const { refused } of this.#requests.values()) refused(closing())
    this.#requests.clear()
  }

  /** Start what can be started. @returns whether jobs wait. */
  wake(): boolean {
    void this.#wake()
    return this.#waiting.some(({ id }) => !this.#requests.has(id))
  }

  async #wake(): Promise<void> {
    this.#admit(await this.capacity())
  }

  /** While the gate is shut no trainer is started. What a worker computes is not kept from the places that are free. */
  #admit(capacity: Capacity): void {
    if (this.#closed) return
    const candidates = this.gate.isShut
      ? this.#waiting.filter(({ id }) => this.#requests.has(id))
      : this.#waiting
    for (const admission of admit(candidates, [...this.#running.values()], capacity)) {
      const { id, places } = admission
      this.remove(id)
      const grant = { places, device: deviceFor(admission, capacity) }
      const request = this.#requests.get(id)
      if (request) this.#give(admission, grant, request)
      else this.#begin(admission, grant)
    }
  }

  #join(waiting: Waiting): void {
    this.#order.set(waiting.id, this.#accepted++)
    this.#waiting.push(waiting)
  }

  /** @returns how to leave before the place was given; afterwards it has no effect. */
  #request(device: string, request: HoldRequest): (why?: AppError) => void {
    const id = randomUUID()
    this.#requests.set(id, request)
    this.#join({ id, device })
    return (why) => {
      if (!this.#requests.delete(id)) return
      this.remove(id)
      this.#order.delete(id)
      if (why) request.refused(why)
      // Those behind it may have been kept from a place by its turn.
      void this.#wake()
    }
  }

  #give(admission: Admission, { device }: Grant, { given }: HoldRequest): void {
    const { id } = admission
    this.#requests.delete(id)
    this.#running.set(id, admission)
    const release = () => {
      if (!this.#running.delete(id)) return
      this.#order.delete(id)
      void this.#wake()
    }
    given({ device, release })
  }

  #begin(admission: Admission, grant: Grant | null): void {
    this.#running.set(admission.id, admission)
    void this.run(admission.id, grant).then((fault) => {
      this.#running.delete(admission.id)
      if (fault) this.#wait(admission, fault)
      else this.#order.delete(admission.id)
      void this.#wake()
    })
  }

  /** The job could not be started through no fault of its own: it takes its turn again. */
  #wait({ id, device }: Admission, fault: AppError): void {
    if (this.#closed) return
    const turn = (waiting: Waiting) => this.#order.get(waiting.id) ?? 0
    this.#waiting = [...this.#waiting, { id, device }].sort((a, b) => turn(a) - turn(b))
    this.gate.shut(fault)
  }
}

/** For a job of a version that did not store its places. */
function placesOf(device: string): string[] {
  const numbers = /^cuda:([\d,]+)$/.exec(device)?.[1]
  return numbers ? numbers.split(',').map((number) => `cuda:${number}`) : [device.split(':')[0] ?? device]
}
