import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Job, type TrainerEvent, TrainingConfig } from '@medloom/contracts'
import pino from 'pino'
import { Database, type DatabasePlace, openDatabase } from '../../src/database/database.js'
import type { DatabaseConnection } from '../../src/database/dialect.js'
import { createMetrics } from '../../src/http/metrics.js'
import type { TerminalEvent } from '../../src/ports/run-exchange.js'
import { createRoots } from '../../src/security/roots.js'
import type { Settings } from '../../src/settings.js'
import { openDataFolder } from '../../src/storage/data-folder.js'
import { StoredPaths } from '../../src/training/configuration/stored-paths.js'
import { reduceEvent } from '../../src/training/events/reduce-event.js'
import { createTraining, type Training } from '../../src/training/index.js'
import type { JobRecord } from '../../src/training/job-record.js'
import { TrainingRepository } from '../../src/training/training.repository.js'
import { testSettings } from '../service.js'
import { takeConnection } from '../sqlite-connections.js'
import { FakeLauncher, type FakeTrainer } from './fake-launcher.js'
import { MemoryExchanges } from './memory-exchange.js'
import { until } from './until.js'

const timestamp = '2026-01-02T03:04:05.000Z'

/** The life cycle of jobs without the network, with a launcher and an exchange whose answers the test determines. */
export class TrainingDomain {
  readonly launcher = new FakeLauncher()
  readonly exchanges: MemoryExchanges
  /** Error that a replaced service receives. */
  replaced: Error | null = null
  readonly #path = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-domain-')))
  #training: Training | undefined
  #database: Database | undefined
  /** Connection that all services of the test share, unless its database has a separate place. */
  #connection: DatabaseConnection | undefined
  #close: () => Promise<void> = async () => undefined

  readonly #place: DatabasePlace | undefined

  /** @param place of its database, if that is not in its data folder. */
  constructor(
    private readonly settings: Partial<Settings> = {},
    place?: DatabasePlace,
  ) {
    this.#place = place
    mkdirSync(join(this.#path, 'root'))
    writeFileSync(join(this.#path, 'root/train.csv'), 'label\n')
    this.exchanges = new MemoryExchanges(join(this.#path, 'memory'))
  }

  /** Open the data folder like a service that starts. */
  async open(): Promise<void> {
    const folder = await openDataFolder(join(this.#path, 'data'))
    const database = await this.#openDatabase()
    const roots = createRoots([join(this.#path, 'root')], folder.path)
    const settings = {
      ...testSettings(),
      dataDir: folder.path,
      stopGraceSeconds: 1,
      ...this.settings,
    } as never
    const log = pino({ level: 'silent' })
    const gauges = createMetrics()
    const training = createTraining({ settings, folder, database, roots, pool: null, gauges, log } as never, {
      launcher: this.launcher,
      exchange: this.exchanges.get,
      confirm: async () => {
        if (this.replaced) throw this.replaced
      },
      retryMilliseconds: 5,
      lookMilliseconds: 10,
      writeRunReport: async (_, folder) => join(folder, 'report.html'),
    })
    this.#training = training
    this.#database = database
    this.#close = async () => {
      training.close()
      gauges.close()
      await database.destroy()
      await folder.close()
    }
    await training.start()
  }

  /** Like a killed service: only durable state is kept. `meanwhile`: runs while there is no service. */
  async restart(meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    await this.#close()
    await meanwhile()
    await this.open()
  }

  /** Resolves once the queue was paused because of a fault of the machine. */
  paused(): Promise<void> {
    return until(() => this.training.pause() !== null)
  }

  async #openDatabase(): Promise<Database> {
    if (this.#place) return openDatabase(this.#place)
    this.#connection ??= await takeConnection()
    // The next service uses it again.
    const database = new Database({ ...this.#connection, close: async () => undefined })
    await database.warmUp()
    return database
  }

  async remove(): Promise<void> {
    await this.#close()
    await this.#connection?.close()
    rmSync(this.#path, { recursive: true, force: true })
  }

  get training(): Training {
    if (!this.#training) throw new Error('not open')
    return this.#training
  }

  get database(): Database {
    if (!this.#database) throw new Error('not open')
    return this.#database
  }

  async accept(training: object = {}, owner: string | null = null): Promise<string> {
    const job_id = randomUUID()
    const config = TrainingConfig.parse({
      data: { train_csv: join(this.#path, 'root/train.csv') },
      model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
      training: { epochs: 3, batch_size: 4, device: 'cpu', ...training },
    })
    await this.training.gateway.begin(
      { job_id, job_name: 'test', config, epoch: 0, resumed_from: null, fine_tuned_from: null, owner },
      async () => undefined,
    )
    return job_id
  }

  job(jobId: string): Promise<Job> {
    return this.training.job(jobId)
  }

  async until(jobId: string, reached: (job: Job) => boolean): Promise<Job> {
    await until(async () => reached(await this.job(jobId)))
    return this.job(jobId)
  }

  /** The trainer of an attempt, as soon as it was submitted. */
  async submitted(jobId: string, attempt = 1): Promise<FakeTrainer> {
    await until(() => this.launcher.trainers.has(`${jobId}-${attempt}`))
    return this.launcher.trainer(jobId, attempt)
  }

  /** Resolves after the service has read the state of the trainer this many times. */
  async looked(trainer: FakeTrainer, times = 5): Promise<void> {
    const from = trainer.looks
    await until(() => trainer.looks >= from + times)
  }

  /** Stores the effect of an event on a job while the service believes that its commit failed. */
  async storeBehindTheService(jobId: string, event: TrainerEvent): Promise<void> {
    const repository = new TrainingRepository(this.database, new StoredPaths([]))
    const job = await repository.find(jobId)
    const effect = job && reduceEvent(job, event)
    if (!effect?.message) throw new Error('the event has no effect')
    await repository.append([effect.message])
    await repository.update(job as JobRecord, effect.changes)
  }

  phase(jobId: string, epoch: number, attempt = 1): void {
    this.exchanges.get(jobId).writeEvent({ type: 'phase', timestamp, attempt, phase: 'training', epoch })
  }

  progress(jobId: string, [epoch, batch]: readonly [number, number], attempt = 1): void {
    const progress = { epoch, batch, total_batches: 4, metrics: { loss: 0.5 }, eta_seconds: null }
    this.exchanges.get(jobId).writeEvent({ type: 'progress', timestamp, attempt, ...progress })
  }

  /** The trainer has saved its last checkpoint. */
  checkpoint(jobId: string, epoch: number, attempt = 1): void {
    const manifest = { schema_version: 1, job_id: jobId, attempt, epoch, created_at: timestamp, metrics: {} }
    this.exchanges.get(jobId).writeCheckpoint('last', { ...manifest, files: {} } as never)
  }

  /** The end of a trainer after a stop request. */
  stopped(attempt = 1): TerminalEvent {
    return { ...this.completed(attempt), status: 'stopped', reason: 'stopped on request' } as TerminalEvent
  }

  completed(attempt = 1): TrainerEvent {
    return {
      type: 'completed',
      timestamp,
      attempt,
      status: 'completed',
      reason: 'all epochs done',
      epoch: 3,
      metrics: { train_loss: 0.5 },
      best: null,
      best_checkpoint: null,
      duration_seconds: 1,
    }
  }
}
