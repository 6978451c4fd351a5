import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Job, type JobAnswer, type JobMessage, TrainingConfig } from '@medloom/contracts'
import pino from 'pino'
import { WebSocket } from 'ws'
import { buildApp } from '../src/app.js'
import type { ServiceContext } from '../src/context.js'
import { openDatabase } from '../src/database/database.js'
import type { Handlers } from '../src/http/bind.js'
import { createRoots } from '../src/security/roots.js'
import type { Settings } from '../src/settings.js'
import { openDataFolder } from '../src/storage/data-folder.js'
import { createMetrics } from '../src/system/metrics.js'
import { createTraining } from '../src/training/index.js'
import { createTaskPool } from '../src/worker/task-pool.js'

/** A folder with a data folder and a root in it; the CSV is looked for, not read. */
export class Place {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-training-')))
  readonly root = join(this.path, 'root')
  readonly dataDir = join(this.path, 'data')

  constructor() {
    mkdirSync(this.root)
    writeFileSync(join(this.root, 'train.csv'), 'label\n')
  }

  config(training: object = {}): TrainingConfig {
    return TrainingConfig.parse({
      data: { train_csv: 'train.csv' },
      model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
      training: { epochs: 2, batch_size: 4, device: 'cpu', ...training },
    })
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** The service with the life cycle of jobs, on a real port; the trainer is the program beside this file. */
export async function startTrainingService(place: Place, settings: Partial<Settings> = {}) {
  const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' })
  const folder = await openDataFolder(place.dataDir)
  const database = await openDatabase(folder.database)
  const complete: Settings = {
    host: '127.0.0.1',
    port: 0,
    dataDir: place.dataDir,
    roots: [place.root],
    tokenFile: null,
    python: join(import.meta.dirname, 'trainer.mjs'),
    maxJobs: null,
    stopGraceSeconds: 30,
    logLevel: 'silent',
    ...settings,
  }
  const metrics = createMetrics()
  const pool = createTaskPool({ python: complete.python, logs: folder.logs, log })
  const roots = createRoots(complete.roots, folder.path)
  const context: ServiceContext = { settings: complete, folder, database, roots, pool, gauges: metrics, log }
  const reports: string[] = []
  const training = createTraining(context, {
    writeRunReport: async (job) => {
      reports.push(job.job_id)
      return `${job.run_dir}/reports/report.html`
    },
  })
  const app = await buildApp({
    context,
    metrics,
    token: null,
    handlers: { ...training.routes } as unknown as Handlers,
    sockets: [training.registerSockets],
  })
  await training.start()
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  const send = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }
  const status = async (jobId: string) => (await send<Job>('GET', `/api/training/${jobId}/status`)).body
  const until = async (jobId: string, reached: (job: Job) => boolean): Promise<Job> => {
    for (const deadline = Date.now() + 20_000; ; ) {
      const job = await status(jobId)
      if (reached(job)) return job
      if (Date.now() > deadline) throw new Error(`waited in vain; last: ${JSON.stringify(job)}`)
      await new Promise((resume) => setTimeout(resume, 10))
    }
  }
  return {
    url,
    database,
    folder,
    reports,
    send,
    status,
    until,
    ended: (jobId: string) => until(jobId, (job) => ['completed', 'failed', 'stopped'].includes(job.status)),
    start: async (name: string, config: object = place.config()) => {
      const { status: code, body } = await send<JobAnswer>('POST', '/api/training/start', {
        config,
        job_name: name,
      })
      if (code !== 200) throw new Error(JSON.stringify(body))
      return body.job_id
    },
    stop: (jobId: string) => send<JobAnswer & { code?: string }>('POST', `/api/training/${jobId}/stop`),
    follow: (jobId: string, query = '') =>
      follow(`${url.replace('http', 'ws')}/ws/training/${jobId}${query}`),
    close: async () => {
      await app.close()
      training.close()
      await pool.close()
      metrics.close()
      await database.destroy()
      await folder.close()
    },
  }
}

export interface Following {
  readonly socket: WebSocket
  readonly messages: JobMessage[]
  readonly closed: Promise<number>
  readonly refused: Promise<{ status: number; body: string }>
}

function follow(address: string): Following {
  const socket = new WebSocket(address)
  const messages: JobMessage[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  socket.on('error', () => undefined)
  const closed = new Promise<number>((done) => socket.on('close', done))
  const refused = new Promise<{ status: number; body: string }>((done) =>
    socket.on('unexpected-response', (_request, response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => done({ status: response.statusCode ?? 0, body }))
    }),
  )
  return { socket, messages, closed, refused }
}
