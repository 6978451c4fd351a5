import type { Text, TrainerEvent, TrainerHeartbeat } from '@medloom/contracts'
import { AppError } from '../../src/errors.js'
import { characterBoundary } from '../../src/launchers/exchange/run-log.js'
import { parseEvent } from '../../src/ports/event-line.js'
import type { TrainerSource } from '../../src/ports/launcher.js'
import type {
  ControlRequest,
  EventChunk,
  EventWatch,
  LogPiece,
  RunExchange,
  RunExchanges,
  RunSpec,
  TerminalEvent,
} from '../../src/ports/run-exchange.js'
import type { CheckpointList, Manifest } from '../../src/storage/checkpoints.js'

/** The exchanges of runs without files, and the trainer's side of them. They survive the services of a test. */
export class MemoryExchanges {
  readonly #runs = new Map<string, MemoryExchange>()

  /** @param folder parent of the local path of a run; the exchange itself writes nothing. */
  constructor(readonly folder: string) {}

  readonly get: (jobId: string) => MemoryExchange = (jobId) => {
    const run = this.#runs.get(jobId) ?? new MemoryExchange(`${this.folder}/${jobId}`)
    this.#runs.set(jobId, run)
    return run
  }

  get exchange(): RunExchanges {
    return this.get
  }
}

export class MemoryExchange implements RunExchange {
  spec: RunSpec | null = null
  beat: TrainerHeartbeat | null = null
  /** The fault that prevents all writes. */
  machineFault: AppError | null = null
  readonly fault = async () => this.machineFault
  /** Reason why nothing of the run can be read at the moment. */
  away: AppError | null = null
  /** Description of files that were removed by someone. */
  removed: string | null = null
  /** The attempts for whose end disk space is reserved. */
  readonly reserves = new Set<number>()
  readonly control = new Map<number, ControlRequest>()
  /** A request is written as soon as this resolves. */
  writing: (request: ControlRequest) => Promise<void> = async () => undefined
  readonly #events = new Map<number, string>()
  readonly #resources = new Map<number, string>()
  readonly #checkpoints = new Map<string, Manifest>()
  readonly #watches = new Set<() => void>()
  #result = ''
  #log = Buffer.alloc(0)

  constructor(readonly path: string) {}

  // The trainer's side.

  writeEvents(attempt: number, text: string): void {
    this.#events.set(attempt, (this.#events.get(attempt) ?? '') + text)
    for (const notify of this.#watches) notify()
  }

  writeEvent(event: TrainerEvent): void {
    this.writeEvents(event.attempt, `${JSON.stringify(event)}\n`)
  }

  writeResources(attempt: number, text: string): void {
    this.#resources.set(attempt, (this.#resources.get(attempt) ?? '') + text)
  }

  writeResult(event: TrainerEvent): void {
    this.#result = JSON.stringify(event)
  }

  writeLog(text: string): void {
    this.#log = Buffer.concat([this.#log, Buffer.from(text)])
  }

  writeCheckpoint(name: string, manifest: Manifest): void {
    this.#checkpoints.set(name, manifest)
  }

  // The service's side.

  async putSpec(spec: RunSpec): Promise<TrainerSource> {
    this.spec = spec
    this.reserves.add(spec.attempt)
    return { spec: `memory:${this.path}` }
  }

  async sendRequest(attempt: number, request: ControlRequest): Promise<void> {
    await this.writing(request)
    this.control.set(attempt, request)
  }

  async events(attempt: number, offset: number): Promise<EventChunk | null> {
    return linesAfter(this.#events.get(attempt) ?? '', offset)
  }

  async resources(attempt: number, offset: number): Promise<EventChunk | null> {
    return linesAfter(this.#resources.get(attempt) ?? '', offset)
  }

  async hasEvents(attempt: number): Promise<boolean> {
    return (this.#events.get(attempt) ?? '') !== ''
  }

  watchEvents(_attempt: number, look: () => Promise<void>): EventWatch {
    let closed = false
    let looking: Promise<void> = Promise.resolve()
    const notify = () => {
      looking = looking.then(() => (closed ? undefined : look()))
    }
    this.#watches.add(notify)
    notify()
    return {
      close: async () => {
        closed = true
        this.#watches.delete(notify)
        await looking
      },
    }
  }

  async heartbeat(): Promise<TrainerHeartbeat | null> {
    return this.beat
  }

  async missing(): Promise<Text | null> {
    if (this.away) throw this.away
    return this.removed === null ? null : { english: this.removed }
  }

  async result(attempt: number): Promise<TerminalEvent | null> {
    if (this.away) throw this.away
    const event = parseEvent(this.#result)
    if (event?.attempt !== attempt) return null
    return event.type === 'completed' || event.type === 'error' ? event : null
  }

  async freeReserve(attempt: number): Promise<void> {
    this.reserves.delete(attempt)
  }

  end(attempt: number): Promise<void> {
    return this.freeReserve(attempt)
  }

  async log(offset: number, limit: number): Promise<LogPiece> {
    const bytes = this.#log.subarray(offset, offset + limit)
    const end = characterBoundary(bytes)
    return {
      offset,
      next_offset: offset + end,
      size: this.#log.length,
      text: bytes.toString('utf8', 0, end),
    }
  }

  async logEnd(bytes: number): Promise<string> {
    return this.#log.subarray(Math.max(0, this.#log.length - bytes)).toString('utf8')
  }

  async checkpoints(offset: number, size: number): Promise<CheckpointList> {
    const all = [...this.#checkpoints].map(([name, { epoch, metrics, created_at }]) => ({
      name,
      path: this.localPath(name),
      epoch,
      metrics,
      size_bytes: 0,
      created_at,
      digest: '',
    }))
    return { checkpoints: all.slice(offset, offset + size), total: all.length }
  }

  async checkpoint(name: string): Promise<Manifest> {
    const manifest = this.#checkpoints.get(name)
    if (!manifest) throw new AppError('CHECKPOINT_NOT_FOUND', { english: 'there is no such checkpoint' })
    return manifest
  }

  verifyCheckpoint(name: string): Promise<Manifest> {
    return this.checkpoint(name)
  }

  async hasCheckpoint(name: string): Promise<boolean> {
    return this.#checkpoints.has(name)
  }

  localPath(checkpoint?: string): string {
    return checkpoint === undefined ? this.path : `${this.path}/checkpoints/${checkpoint}`
  }
}

function linesAfter(text: string, offset: number): EventChunk | null {
  const bytes = Buffer.from(text).subarray(offset)
  const end = bytes.lastIndexOf(0x0a) + 1
  if (end === 0) return null
  const lines = bytes.toString('utf8', 0, end - 1).split('\n')
  return { start: offset, end: offset + end, lines, ...(end < bytes.length ? { more: true } : {}) }
}
