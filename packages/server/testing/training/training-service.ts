import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Job, type JobMessage, type JobResponse, TrainingConfig } from '@medloom/contracts'
import { WebSocket } from 'ws'
import { openDatabase } from '../../src/database/database.js'
import { startService } from '../../src/service.js'
import type { Settings } from '../../src/settings.js'
import { eventually } from '../eventually.js'
import { migratedFile } from '../migrated-file.js'
import { testSettings } from '../service.js'

const MOST_REMOVALS = 20

/** A folder with a data folder and a root in it; the CSV must exist, but is not read. */
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
    // A training survives its service, and a report may be written at this moment. A removal reads each folder once, however often it
    // retries, so a file that appears later needs another removal.
    for (let removals = 1; existsSync(this.path); removals++)
      try {
        rmSync(this.path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 })
      } catch (error) {
        if (removals === MOST_REMOVALS) throw error
      }
  }
}

/** The service on a real port; the trainer is the program in this folder. */
export async function startTrainingService(place: Place, settings: Partial<Settings> = {}) {
  if (!settings.databaseUrl) await migratedFile(join(place.dataDir, 'medloom.db'))
  const service = await startService({
    ...testSettings(),
    dataDir: place.dataDir,
    roots: [place.root],
    python: join(import.meta.dirname, 'trainer.mjs'),
    stopGraceSeconds: 30,
    cacheSeconds: 3600,
    workerMemory: null,
    ...settings,
  })
  const url = service.address
  const database = await openDatabase(join(place.dataDir, 'medloom.db'))

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
  const until = (jobId: string, reached: (job: Job) => boolean): Promise<Job> =>
    eventually(() => status(jobId), reached, { every: 40 })
  return {
    url,
    database,
    send,
    status,
    until,
    ended: (jobId: string) => until(jobId, (job) => ['completed', 'failed', 'stopped'].includes(job.status)),
    start: async (name: string, config: object = place.config()) => {
      const { status: code, body } = await send<JobResponse>('POST', '/api/training/start', {
        config,
        job_name: name,
      })
      if (code !== 200) throw new Error(JSON.stringify(body))
      return body.job_id
    },
    stop: (jobId: string) => send<JobResponse & { code?: string }>('POST', `/api/training/${jobId}/stop`),
    follow: (jobId: string, query = '') =>
      follow(`${url.replace('http', 'ws')}/ws/training/${jobId}${query}`),
    close: async () => {
      await database.destroy()
      await service.close()
    },
  }
}

export interface Following {
  readonly socket: WebSocket
  readonly messages: JobMessage[]
  readonly closed: Promise<number>
  readonly refused: Promise<{ status: number; body: string }>
}

export function follow(address: string): Following {
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
