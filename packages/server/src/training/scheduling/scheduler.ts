import { randomUUID } from 'node:crypto'
import type { AppError } from '../../errors.js'
import type { Capacity } from '../../launchers/launcher.js'
import type { JobRecord } from '../job-record.js'
import { admit, needsAccelerator } from './admission.js'
import type { QueueGate } from './environment-fault.js'
import { type Grant, grantOf } from './grant.js'
import { cancelled, closing, type Hold, type HoldRequest, holdNothing, type Places } from './places.js'
import type { RunningQuotas } from './quota-room.js'
import type { Admission, Waiting } from './waiting.js'

/** The nodes of a cluster come and go, and nobody tells. */
const CLUSTER_MILLISECONDS = 5000

/** The queue. It starts jobs in order of acceptance, as many as the launcher has room for; evaluations take their turns among them. */
export class Scheduler implements Places {
  /** By id, in order of acceptance. */
  #waiting = new Map<string, Waiting>()
  readonly #running = new Map<string, Admission>()
  /** Of those that wait, the ones that are no jobs. */
  readonly #requests = new Map<string, HoldRequest>()
  /** Job → order of acceptance. */
  readonly #order = new Map<string, number>()
  #accepted = 0
  #waking: Promise<void> | undefined
  #again: NodeJS.Timeout | undefined
  #quotas: RunningQuotas = new Map()
  #closed = false

  /**
   * @param capacity what there is to train on now.
   * @param run resolves once the job has left its place, with what is wrong with the machine when it could not be started.
   * @param gate shut while something is wrong with the machine.
   * @param quotas how many jobs of which user may run at the same time now.
   */
  constructor(
    readonly capacity: () => Promise<Capacity>,
    readonly run: (jobId: string, grant: Grant | null) => Promise<AppError | null>,
    readonly gate: Pick<QueueGate, 'isShut' | 'shut'>,
    readonly quotas: () => Promise<RunningQuotas> = async () => new Map(),
  ) {}

  enqueue(job: Pick<JobRecord, 'job_id' | 'config' | 'owner'>): void {
    this.#join({ id: job.job_id, ...ofTraining(job) })
    void this.#wake()
  }

  /** A job whose trainer was submitted by an earlier service occupies the place where it trains. */
  adopt(job: Pick<JobRecord, 'job_id' | 'config' | 'prepared' | 'places' | 'owner'>): void {
    const places = job.places ?? placesOf(job.prepared?.device ?? job.config.training.device)
    this.#begin({ id: job.job_id, ...ofTraining(job), places }, null)
  }

  /** Whether the job waits or runs here. */
  knows(jobId: string): boolean {
    return this.#order.has(jobId) || this.#running.has(jobId)
  }

  /** It ended before it was started. */
  remove(jobId: string): void {
    this.#waiting.delete(jobId)
    this.#order.delete(jobId)
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
    clearTimeout(this.#again)
    this.#waiting.clear()
    for (const { refused } of this.#requests.values()) refused(closing())
    this.#requests.clear()
  }

  /** Start what can be started. @returns whether jobs wait. */
  wake(): boolean {
    void this.#wake()
    return this.#waiting.size > this.#requests.size
  }

  /** Users may have other numbers of jobs running than before: a look that has begun may not know it. */
  quotasChanged(): void {
    void this.#wake().then(() => this.#wake())
  }

  /** Jobs that come together, as when the service starts, are looked at together. */
  #wake(): Promise<void> {
    this.#waking ??= this.#limits()
      .finally(() => {
        this.#waking = undefined
      })
      .then((capacity) => this.#admit(capacity))
    return this.#waking
  }

  async #limits(): Promise<Capacity> {
    // While the database does not answer, the quotas are those that were known last.
    if (!this.#closed) this.#quotas = await this.quotas().catch(() => this.#quotas)
    return this.capacity()
  }

  /** While the gate is shut no trainer is started. What a worker computes is not kept from the places that are free. */
  #admit(capacity: Capacity): void {
    if (this.#closed) return
    const waiting = [...this.#waiting.values()]
    const candidates = this.gate.isShut ? waiting.filter(({ id }) => this.#requests.has(id)) : waiting
    for (const admission of admit(candidates, [...this.#running.values()], capacity, this.#quotas)) {
      const { id } = admission
      this.#waiting.delete(id)
      const grant = grantOf(admission, capacity)
      const request = this.#requests.get(id)
      if (request) this.#give(admission, grant, request)
      else this.#begin(admission, grant)
    }
    if (capacity.cluster && this.#waiting.size > 0) this.#lookAgain()
  }

  #lookAgain(): void {
    clearTimeout(this.#again)
    this.#again = setTimeout(() => this.wake(), CLUSTER_MILLISECONDS)
    this.#again.unref()
  }

  #join(waiting: Waiting): void {
    this.#order.set(waiting.id, this.#accepted++)
    this.#waiting.set(waiting.id, waiting)
  }

  /** @returns how to leave before the place was given; afterwards it has no effect. */
  #request(device: string, request: HoldRequest): (why?: AppError) => void {
    const id = randomUUID()
    this.#requests.set(id, request)
    this.#join({ id, device, num_workers: null })
    return (why) => {
      if (!this.#requests.delete(id)) return
      this.remove(id)
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
  #wait({ places: _, ...job }: Admission, fault: AppError): void {
    if (this.#closed) return
    const turn = ([id]: [string, Waiting]) => this.#order.get(id) ?? 0
    this.#waiting.set(job.id, job)
    this.#waiting = new Map([...this.#waiting].sort((a, b) => turn(a) - turn(b)))
    this.gate.shut(fault)
  }
}

function ofTraining({ config, owner }: Pick<JobRecord, 'config' | 'owner'>): Omit<Waiting, 'id'> {
  const { device, num_workers } = config.training
  return { device, num_workers, owner }
}

/** For a job of a version that did not store its places. */
function placesOf(device: string): string[] {
  const numbers = /^cuda:([\d,]+)$/.exec(device)?.[1]
  return numbers ? numbers.split(',').map((number) => `cuda:${number}`) : [device.split(':')[0] ?? device]
}
