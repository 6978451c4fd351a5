import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../../errors.js'
import { type ControlRequest, writeSpec } from '../../launchers/exchange/file-exchange.js'
import type { PrewarmedTrainer, ReadyTrainer } from '../../launchers/local/prewarmed-trainer.js'
import { adoptedProcess } from '../../launchers/local/trainer-process.js'
import type { Settings } from '../../settings.js'
import type { DataFolder } from '../../storage/data-folder.js'
import { isDiskFull } from '../../storage/files.js'
import { readStoredConfig } from '../configuration/stored-config.js'
import type { EventIngest } from '../events/event-ingest.js'
import { becoming, type JobRecord } from '../job-record.js'
import type { TrainingRepository } from '../training.repository.js'
import { Attempt } from './attempt.js'

export interface JobRunOptions {
  readonly repository: TrainingRepository
  readonly ingest: EventIngest
  readonly folder: Pick<DataFolder, 'run' | 'cache'>
  readonly settings: Pick<Settings, 'roots' | 'stopGraceSeconds'>
  readonly prewarmed: PrewarmedTrainer
  readonly log: FastifyBaseLogger
  readonly onEnded: (job: JobRecord) => void
}

/** A job from the moment it leaves the queue until its process is gone, over as many attempts as that takes. */
export class JobRun {
  /** The terminal status is durable and told to the followers. */
  readonly ended: Promise<void>
  #attempt: Attempt | undefined
  #request: ControlRequest | null = null
  #tell: () => void = () => undefined
  #detached = false

  constructor(
    readonly jobId: string,
    readonly options: JobRunOptions,
  ) {
    this.ended = new Promise((done) => {
      this.#tell = done
    })
  }

  /** Start the job on `device`, or follow the process that runs it already. Resolves once the process is gone. */
  async run(device: string | null): Promise<void> {
    const { repository } = this.options
    for (;;) {
      const job = await repository.find(this.jobId)
      if (!job || this.#detached) return
      this.#request ??= job.request
      const running = job.status === 'running' && this.#attempt === undefined
      const attempt = running ? this.#adopt(job) : await this.#launch(job, device)
      if (!attempt) return this.#tell()
      this.#attempt = attempt
      if (this.#detached) return attempt.detach()
      if (this.#request) await attempt.ask(this.#request)
      if ((await attempt.follow()) !== 'again') return
    }
  }

  /** The request is durable already. */
  async ask(request: ControlRequest): Promise<void> {
    this.#request = request
    await this.#attempt?.ask(request)
  }

  detach(): void {
    this.#detached = true
    this.#attempt?.detach()
  }

  #adopt(job: JobRecord): Attempt {
    const nobody = { pid: 0, started: 'unknown', boot: 'unknown', mark: 'unknown' }
    return new Attempt(job, adoptedProcess(job.process ?? nobody), this.#attemptOptions())
  }

  /** Identity first, durably, then the order: a crash between the two leaves a trainer that exits without having trained. */
  async #launch(job: JobRecord, device: string | null): Promise<Attempt | null> {
    const { repository, folder, settings, prewarmed } = this.options
    const run = folder.run(job.job_id)
    const attempt = job.attempt + 1
    let trainer: ReadyTrainer | undefined
    try {
      // It may have waited through an update of the service.
      const config = readStoredConfig(job.config)
      const training = { ...config.training, device: device ?? config.training.device }
      await writeSpec(
        run,
        { ...job, config },
        {
          attempt,
          cache_dir: folder.cache,
          roots: [...settings.roots],
          resume_from: job.resumed_from ? folder.run(job.resumed_from).checkpoint('last') : null,
          config: { ...config, training },
        },
      )
      trainer = await prewarmed.take()
      const changes: Partial<JobRecord> = {
        ...(job.status === 'started' ? becoming(job.status, 'running') : {}),
        attempt,
        config,
        process: trainer.process.identity,
        events_offset: 0,
        phase: 'preparing',
        started_at: job.started_at ?? new Date().toISOString(),
      }
      if (!(await repository.update(job, changes))) {
        trainer.dismiss()
        return null
      }
      trainer.begin(run.spec)
      return new Attempt({ ...job, ...changes }, trainer.process, this.#attemptOptions())
    } catch (error) {
      trainer?.dismiss()
      await this.#fail(job, error)
      return null
    }
  }

  async #fail(job: JobRecord, error: unknown): Promise<void> {
    const full = isDiskFull(error)
    const known =
      error instanceof AppError
        ? error
        : new AppError(
            full ? 'DISK_FULL' : 'TRAINER_FAILED',
            full ? 'no space left to start the job' : 'the job could not be started',
          )
    this.options.log.error({ err: error, job_id: job.job_id }, 'the job could not be started')
    const ended = await this.options.ingest.end(job.job_id, job.attempt, {
      type: 'error',
      timestamp: new Date().toISOString(),
      attempt: job.attempt,
      epoch: job.epoch,
      code: known.code,
      message: known.message,
      details: known.details,
      trace: null,
    })
    if (ended) this.options.onEnded(ended)
  }

  #attemptOptions() {
    const { repository, ingest, folder, log, settings, onEnded } = this.options
    return {
      repository,
      ingest,
      log,
      run: folder.run(this.jobId),
      stopGraceSeconds: settings.stopGraceSeconds,
      onEnded: (job: JobRecord) => {
        onEnded(job)
        this.#tell()
      },
    }
  }
}
