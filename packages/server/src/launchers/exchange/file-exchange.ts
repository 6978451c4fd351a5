import { createHash } from 'node:crypto'
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  chosenBaselines,
  type PhraseCode,
  phrase,
  RUN_SCHEMA_VERSION,
  type Text,
  TrainerHeartbeat,
  type TrainerSpec,
  textOf,
  trainerConfig,
} from '@medloom/contracts'
import { AppError } from '../../errors.js'
import { parseEvent, parseReference } from '../../ports/event-line.js'
import type { TrainerSource } from '../../ports/launcher.js'
import type {
  ControlRequest,
  EventChunk,
  EventWatch,
  LogPiece,
  RunExchange,
  RunExchanges,
  RunSpec,
  TerminalEvent,
} from '../../ports/run-exchange.js'
import {
  type CheckpointList,
  listCheckpoints,
  type Manifest,
  readManifest,
  verifyCheckpoint,
} from '../../storage/checkpoints.js'
import type { DataFolder } from '../../storage/data-folder.js'
import { writeJsonAtomically } from '../../storage/files.js'
import { nullIfMissing } from '../../storage/null-if-missing.js'
import { removePartialFiles } from '../../storage/partial-files.js'
import { createRunDirectory, MANIFEST, type RunDirectory, writeReserve } from '../../storage/run-directory.js'
import { confirmWritable } from '../../storage/writable.js'
import { systemFault } from '../../system-fault.js'
import { EventTail } from './event-file.js'
import { MAX_LINE_BYTES, runFiles } from './reading/reading-thread.js'
import { readEnd, readLog } from './run-log.js'
import type { SitePaths } from './site-paths.js'

type MissingCode = Extract<PhraseCode, `run_${string}_at`>

export interface FileExchangeOptions {
  readonly folder: Pick<DataFolder, 'run' | 'cache'>
  /** Absolute folders that image paths in tables must stay inside. */
  readonly roots: readonly string[]
  /** Paths of the folders on the machines of trainers; absent: the same as on this machine. */
  readonly site?: SitePaths | undefined
  /**
   * Called before every change; rejects when another service has taken over these runs, or their folder is missing. Absent: neither can
   * happen.
   */
  readonly confirm?: (() => Promise<void>) | undefined
}

export function fileExchanges(options: FileExchangeOptions): RunExchanges {
  return (jobId) => new FileExchange(jobId, options)
}

/** Service and trainer share a folder: the run directory, which survives both. */
export class FileExchange implements RunExchange {
  readonly #run: RunDirectory

  constructor(
    readonly jobId: string,
    readonly options: FileExchangeOptions,
  ) {
    this.#run = options.folder.run(jobId)
  }

  async putSpec(run: RunSpec): Promise<TrainerSource> {
    const { job_name, attempt, config, fine_tuned_from = null } = run
    const { folder, site } = this.options
    site?.refuseUncovered(config)
    const there = (path: string, what: string) => site?.toSite(path, what) ?? path
    const [runDir, cacheDir] = [there(this.#run.path, 'the run directory'), there(folder.cache, 'the cache')]
    const resumed = await this.#resumeFrom(run)
    await this.#confirm()
    await createRunDirectory(this.#run, config)
    const spec: TrainerSpec = {
      schema_version: RUN_SCHEMA_VERSION,
      job_id: this.jobId,
      job_name,
      attempt,
      run_dir: runDir,
      cache_dir: cacheDir,
      roots: this.#roots(),
      ...(site ? { places: site.places } : {}),
      resume_from: resumed === null ? null : there(resumed, 'the checkpoint to continue from'),
      fine_tuned_from,
      baselines: [...chosenBaselines(config)],
      config: trainerConfig(config),
    }
    try {
      await writeReserve(this.#run.reserve(attempt))
      await this.#confirm()
      await writeJsonAtomically(this.#run.spec, spec)
    } catch (error) {
      await this.freeReserve(attempt).catch(() => undefined)
      throw error
    }
    return { spec: there(this.#run.spec, 'the run directory') }
  }

  /** Files that a trainer of a later service reads are not replaced by an earlier one. */
  async #confirm(): Promise<void> {
    await this.options.confirm?.()
  }

  /** The roots that a node has: files in other roots are missing there. */
  #roots(): string[] {
    const { roots, site } = this.options
    return roots.flatMap((root) => (site ? (site.find(root) ?? []) : root))
  }

  /** A later attempt continues from the last checkpoint of the earlier ones; the first one from the job that it continues. */
  async #resumeFrom({ attempt, resumed_from, resumed_checkpoint }: RunSpec): Promise<string | null> {
    if (attempt > 1 && (await this.hasCheckpoint('last'))) return this.#run.checkpoint('last')
    if (resumed_from === null) return null
    const given = await nullIfMissing(stat(join(this.#run.start, MANIFEST)))
    return given
      ? this.#run.start
      : this.options.folder.run(resumed_from).checkpoint(resumed_checkpoint ?? 'last')
  }

  async sendRequest(attempt: number, request: ControlRequest): Promise<void> {
    await this.#confirm()
    return writeJsonAtomically(this.#run.control(attempt), { request })
  }

  async events(attempt: number, offset: number): Promise<EventChunk | null> {
    const chunk = await runFiles.lines(this.#run.events(attempt), offset)
    return chunk && { ...chunk, lines: await Promise.all(chunk.lines.map((line) => this.#eventOf(line))) }
  }

  /** The event to which a line refers. A file with other content than the written one counts as a damaged line. */
  async #eventOf(line: string): Promise<string> {
    const reference = parseReference(line)
    if (!reference) return line
    const { file, sha256, size_bytes } = reference.payload
    const path = join(this.#run.path, file)
    if (size_bytes > MAX_LINE_BYTES || (await stat(path).catch(() => null))?.size !== size_bytes) return line
    const content = await readFile(path)
    return createHash('sha256').update(content).digest('hex') === sha256 ? content.toString('utf8') : line
  }

  async hasEvents(attempt: number): Promise<boolean> {
    return ((await nullIfMissing(stat(this.#run.events(attempt))))?.size ?? 0) > 0
  }

  watchEvents(attempt: number, look: () => Promise<void>): EventWatch {
    return new EventTail(this.#run.events(attempt), look)
  }

  async heartbeat(attempt: number): Promise<TrainerHeartbeat | null> {
    const text = await runFiles.text(this.#run.heartbeat(attempt))
    try {
      return TrainerHeartbeat.safeParse(JSON.parse(text)).data ?? null
    } catch {
      return null
    }
  }

  resources(attempt: number, offset: number): Promise<EventChunk | null> {
    return runFiles.lines(this.#run.resources(attempt), offset)
  }

  async missing(attempt: number, offset: number): Promise<Text | null> {
    await this.#confirm()
    const { path, spec } = this.#run
    const needed: readonly { readonly file: string; readonly what: MissingCode }[] = [
      { file: path, what: 'run_directory_at' },
      { file: spec, what: 'run_specification_at' },
      ...(offset > 0 ? [{ file: this.#run.events(attempt), what: 'run_events_at' as const }] : []),
    ]
    const absent = await runFiles.absent(needed.map(({ file }) => file))
    const lost = needed.find(({ file }) => file === absent)
    return lost ? textOf(phrase(lost.what, { path: lost.file })) : null
  }

  async result(attempt: number): Promise<TerminalEvent | null> {
    await this.#confirm()
    const event = parseEvent(await readFile(this.#run.result, 'utf8').catch(() => ''))
    if (event?.attempt !== attempt) return null
    return event.type === 'completed' || event.type === 'error' ? event : null
  }

  async freeReserve(attempt: number): Promise<void> {
    await this.#confirm()
    return rm(this.#run.reserve(attempt), { force: true })
  }

  async end(attempt: number): Promise<void> {
    // A file that cannot be removed only uses space: the job has ended nevertheless, and its slots are needed.
    await this.freeReserve(attempt).catch((error) => {
      if (!systemFault(error) || error instanceof AppError) throw error
    })
    // A trainer that ended by itself leaves no partial files, but an earlier attempt may have left some.
    if (attempt === 1 && (await this.result(attempt))) return
    await removePartialFiles(this.#run).catch(() => undefined)
  }

  async fault(): Promise<AppError | null> {
    try {
      await confirmWritable(this.#run.path)
      return null
    } catch (error) {
      return systemFault(error)
    }
  }

  log(offset: number, limit: number): Promise<LogPiece> {
    return readLog(this.#run.log, offset, limit)
  }

  logEnd(bytes: number): Promise<string> {
    return readEnd(this.#run.log, bytes)
  }

  checkpoints(offset: number, size: number): Promise<CheckpointList> {
    return listCheckpoints(this.#run.checkpoints, { offset, size })
  }

  checkpoint(name: string): Promise<Manifest> {
    return readManifest(this.#run.checkpoint(name))
  }

  async hasCheckpoint(name: string): Promise<boolean> {
    const manifest = join(this.#run.checkpoint(name), MANIFEST)
    return (await nullIfMissing(stat(manifest))) !== null
  }

  verifyCheckpoint(name: string): Promise<Manifest> {
    return verifyCheckpoint(this.#run.checkpoint(name))
  }

  localPath(checkpoint?: string): string {
    return checkpoint === undefined ? this.#run.path : this.#run.checkpoint(checkpoint)
  }
}
