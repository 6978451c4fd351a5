import { readFile, writeFile } from 'node:fs/promises'
import { TrainerControl } from '@medloom/contracts'
import type { TrainerSource } from '../../../ports/launcher.js'
import type { ControlRequest, EventWatch, RunSpec } from '../../../ports/run-exchange.js'
import { nullIfMissing } from '../../../storage/null-if-missing.js'
import type { RunDirectory } from '../../../storage/run-directory.js'
import { EventTail } from '../event-file.js'
import { FileExchange, type FileExchangeOptions } from '../file-exchange.js'
import type { AttemptTokens } from './attempt-tokens.js'
import type { ReceivedFiles } from './received-files.js'

export interface HttpExchangeOptions extends FileExchangeOptions {
  /** The address at which nodes reach this service. */
  readonly url: () => Promise<string>
  readonly tokens: AttemptTokens
  readonly files: ReceivedFiles
  readonly watched: WatchedEvents
}

/**
 * Only the service has the run directory: files sent by the companion process of the trainer are written into it as the trainer would write
 * them, so that readers see no difference.
 */
export class HttpExchange extends FileExchange {
  constructor(
    jobId: string,
    override readonly options: HttpExchangeOptions,
  ) {
    super(jobId, options)
  }

  override async putSpec(run: RunSpec): Promise<TrainerSource> {
    await super.putSpec(run)
    const { tokens, url, files, folder } = this.options
    // Files that an earlier attempt is placing at this moment are complete before the later one begins; none follow.
    const issued = files.turn(folder.run(this.jobId), () => tokens.issue(this.jobId, run.attempt))
    return { spec: await url(), token: await issued }
  }

  override watchEvents(attempt: number, look: () => Promise<void>): EventWatch {
    const tail = new EventTail(this.options.folder.run(this.jobId).events(attempt), look)
    return this.options.watched.add(this.jobId, attempt, tail)
  }

  override async end(attempt: number): Promise<void> {
    const { tokens, files, folder } = this.options
    await this.options.confirm?.()
    await tokens.end(this.jobId, attempt)
    await files.forget(folder.run(this.jobId))
    await super.end(attempt)
  }
}

/** Followers of events that are notified as soon as events arrive. */
export class WatchedEvents {
  readonly #tails = new Map<string, Set<EventTail>>()

  add(jobId: string, attempt: number, tail: EventTail): EventWatch {
    const key = keyOf(jobId, attempt)
    const tails = this.#tails.get(key) ?? new Set()
    this.#tails.set(key, tails.add(tail))
    return {
      close: () => {
        tails.delete(tail)
        if (tails.size === 0) this.#tails.delete(key)
        return tail.close()
      },
    }
  }

  arrived(jobId: string, attempt: number): void {
    for (const tail of this.#tails.get(keyOf(jobId, attempt)) ?? []) void tail.poke()
  }
}

function keyOf(jobId: string, attempt: number): string {
  return `${jobId} ${attempt}`
}

/** The current request to a trainer. */
export async function controlOf(run: RunDirectory, attempt: number): Promise<ControlRequest | null> {
  const text = await nullIfMissing(readFile(run.control(attempt), 'utf8'))
  return text === null ? null : TrainerControl.parse(JSON.parse(text)).request
}

/** A reader that reads during the write finds no heartbeat. */
export function writeHeartbeat(run: RunDirectory, attempt: number, heartbeat: object): Promise<void> {
  return writeFile(run.heartbeat(attempt), `${JSON.stringify(heartbeat)}\n`, { mode: 0o600 })
}
