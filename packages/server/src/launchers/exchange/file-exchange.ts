import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Checkpoint, RUN_SCHEMA_VERSION, type TrainerSpec } from '@medloom/contracts'
import { listCheckpoints, type Manifest, readManifest } from '../../storage/checkpoints.js'
import type { DataFolder } from '../../storage/data-folder.js'
import { writeJsonAtomically } from '../../storage/files.js'
import { createRunDirectory, MANIFEST, type RunDirectory } from '../../storage/run-directory.js'
import { EventTail, readChunk } from './event-file.js'
import { parseEvent } from './event-line.js'
import type {
  ControlRequest,
  EventChunk,
  EventWatch,
  LogPiece,
  RunExchange,
  RunExchanges,
  RunSpec,
  TerminalEvent,
} from './run-exchange.js'
import { readEnd, readLog } from './run-log.js'

export interface FileExchangeOptions {
  readonly folder: Pick<DataFolder, 'run' | 'cache'>
  /** Absolute folders that image paths in tables must stay inside. */
  readonly roots: readonly string[]
}

export function fileExchanges(options: FileExchangeOptions): RunExchanges {
  return (jobId) => new FileExchange(jobId, options)
}

/** Service and trainer share a folder: the run directory, which outlives both. */
export class FileExchange implements RunExchange {
  readonly #run: RunDirectory

  constructor(
    readonly jobId: string,
    readonly options: FileExchangeOptions,
  ) {
    this.#run = options.folder.run(jobId)
  }

  async putSpec({ job_name, attempt, config, resumed_from }: RunSpec): Promise<string> {
    const { folder, roots } = this.options
    await createRunDirectory(this.#run, config)
    const spec: TrainerSpec = {
      schema_version: RUN_SCHEMA_VERSION,
      job_id: this.jobId,
      job_name,
      attempt,
      run_dir: this.#run.path,
      cache_dir: folder.cache,
      roots: [...roots],
      resume_from: resumed_from === null ? null : folder.run(resumed_from).checkpoint('last'),
      config,
    }
    await writeJsonAtomically(this.#run.spec, spec)
    return this.#run.spec
  }

  ask(attempt: number, request: ControlRequest): Promise<void> {
    return writeJsonAtomically(this.#run.control(attempt), { request })
  }

  events(attempt: number, offset: number): Promise<EventChunk | null> {
    return readChunk(this.#run.events(attempt), offset)
  }

  async hasEvents(attempt: number): Promise<boolean> {
    return ((await stat(this.#run.events(attempt)).catch(() => null))?.size ?? 0) > 0
  }

  watchEvents(attempt: number, look: () => Promise<void>): EventWatch {
    return new EventTail(this.#run.events(attempt), look)
  }

  async result(attempt: number): Promise<TerminalEvent | null> {
    const event = parseEvent(await readFile(this.#run.result, 'utf8').catch(() => ''))
    if (event?.attempt !== attempt) return null
    return event.type === 'completed' || event.type === 'error' ? event : null
  }

  log(offset: number, limit: number): Promise<LogPiece> {
    return readLog(this.#run.log, offset, limit)
  }

  logEnd(bytes: number): Promise<string> {
    return readEnd(this.#run.log, bytes)
  }

  checkpoints(): Promise<Checkpoint[]> {
    return listCheckpoints(this.#run.checkpoints)
  }

  checkpoint(name: string): Promise<Manifest> {
    return readManifest(this.#run.checkpoint(name))
  }

  async hasCheckpoint(name: string): Promise<boolean> {
    const manifest = join(this.#run.checkpoint(name), MANIFEST)
    return (await stat(manifest).catch(() => null)) !== null
  }

  localPath(checkpoint?: string): string {
    return checkpoint === undefined ? this.#run.path : this.#run.checkpoint(checkpoint)
  }
}
