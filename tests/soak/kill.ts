import './end-on-signal.js'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Job, JobMessage } from '@medloom/contracts'
import Libsql from 'libsql'
import { registerCleanup } from '../testing/cleanup.js'
import { makeDataset } from '../testing/dataset.js'
import { Caller } from '../testing/http.js'
import { type RunningService, startService, temporaryFolder } from '../testing/service.js'
import { trainingConfig } from '../testing/training.js'
import { Promises } from './promises.js'
import { randomOf } from './random.js'

/**
 * Kills the service, the trainer, or both with SIGKILL at a random moment of a real training, round after round, and throws at the first
 * broken promise: no event is lost or sent twice, a training continues without the service, a lost trainer is reported within 5 s and can
 * be resumed, and there is one terminal message.
 *
 *     npm run soak:kill -- [--rounds 20] [--kill service|trainer|both] [--seed 1]
 */
export type Victim = 'service' | 'trainer' | 'both'

export interface SoakOptions {
  readonly rounds: number
  /** Absent: each in turn. */
  readonly kill?: Victim
  /** Folder of the synthetic dataset. */
  readonly dataset: string
  readonly seed?: number
  readonly promises?: Promises
  readonly log?: (line: string) => void
}

export interface Round {
  readonly victim: Victim
  readonly job: string
  readonly events: number
  /** Time from the kill, or from the restart of the service, until the status was correct. */
  readonly noticedSeconds: number | null
}

export async function soakKill({
  rounds,
  kill,
  dataset,
  seed = 1,
  promises = new Promises(),
  log = () => {},
}: SoakOptions): Promise<Round[]> {
  const soak = new Soak(dataset, randomOf(seed), promises)
  const done: Round[] = []
  try {
    await soak.start()
    for (let index = 0; index < rounds; index++) {
      const victim = kill ?? (['service', 'trainer', 'both'] as const)[index % 3] ?? 'both'
      const round = victim === 'service' ? await soak.killService() : await soak.killTrainer(victim)
      done.push(round)
      log(`round ${index + 1}: ${JSON.stringify(round)}`)
    }
    return done
  } finally {
    await soak.end()
  }
}

class Soak {
  readonly dataDir = temporaryFolder('soak')
  #service: RunningService | undefined
  #caller = new Caller('')

  constructor(
    readonly dataset: string,
    readonly random: () => number,
    readonly promises: Promises,
  ) {}

  async start(): Promise<void> {
    this.#service = await startService({ roots: [dirname(this.dataset)], dataDir: this.dataDir })
    this.#caller = new Caller(this.#service.url)
  }

  /** The training continues without the service, and the next service reports all of it. */
  async killService(): Promise<Round> {
    const jobId = await this.#train(8)
    const pid = this.#pidOf(jobId)
    await this.#loseService()
    const before = statSync(this.#events(jobId)).size
    await until(
      'the training goes on while there is no service',
      30,
      () => statSync(this.#events(jobId)).size > before,
    )
    await delay(this.random() * 1500)
    await this.start()
    const adopted = this.#processOf(jobId)
    this.promises.check('the process that trained goes on training', adopted === null || adopted.pid === pid)
    const job = await this.#caller.ended(jobId, 240)
    this.promises.check(
      'completed in one attempt',
      job.status === 'completed' && job.attempt === 1,
      describe(job),
    )
    this.promises.check(
      'the same process trained all along',
      this.#processOf(jobId)?.pid === pid || this.#processOf(jobId) === null,
    )
    return { victim: 'service', job: jobId, events: await this.#checkMessages(job, []), noticedSeconds: null }
  }

  /** The job is failed, WORKER_LOST and resumable within 5 s; the resumed job continues from the checkpoint. */
  async killTrainer(victim: 'trainer' | 'both'): Promise<Round> {
    const jobId = await this.#train(5000)
    const { run_dir } = await this.#caller.status(jobId)
    const last = join(run_dir, 'checkpoints/last/checkpoint.json')
    await until('there is a checkpoint', 120, () => existsSync(last))
    await delay(this.random() * 1000)
    const pid = this.#pidOf(jobId)
    const first = this.random() < 0.5
    if (victim === 'both' && first) await this.#loseService()
    process.kill(pid, 'SIGKILL')
    if (victim === 'both') {
      if (!first) await this.#loseService()
      await this.start()
    }
    const killed = performance.now()
    const job = await this.#caller.ended(jobId, 30)
    const noticedSeconds = (performance.now() - killed) / 1000
    this.promises.check('a lost trainer is noticed within 5 s', noticedSeconds <= 5, `${noticedSeconds} s`)
    this.promises.check(
      'a lost training is failed, WORKER_LOST and resumable',
      job.status === 'failed' && job.error?.code === 'WORKER_LOST' && job.resumable,
      describe(job),
    )
    const events = await this.#checkMessages(job, ['error'])
    await this.#checkResume(job)
    return { victim, job: jobId, events, noticedSeconds }
  }

  async end(): Promise<void> {
    await this.#service?.stop()
    // After a broken promise a training may still be running.
    for (const { handle: text } of this.#select('SELECT handle FROM jobs WHERE handle IS NOT NULL')) {
      const { pid } = JSON.parse(text ?? '{}')
      if (pid && existsSync(`/proc/${pid}`)) process.kill(-pid, 'SIGKILL')
    }
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  /** A training in the middle of an epoch. */
  async #train(epochs: number): Promise<string> {
    const jobId = await this.#caller.start(trainingConfig(this.dataset, { training: { epochs } }), 'soak')
    await this.#caller.until(jobId, (job) => job.epoch >= 1, 120)
    await delay(this.random() * 500)
    return jobId
  }

  async #loseService(): Promise<void> {
    await this.#service?.kill()
    this.#service = undefined
  }

  async #checkResume(lost: Job): Promise<void> {
    const { status, body } = await this.#caller.post<{ job_id: string }>(
      `/api/training/${lost.job_id}/resume`,
    )
    this.promises.check('a lost training is resumed', status === 200, JSON.stringify(body))
    const from = readCheckpointEpoch(lost)
    await this.#caller.until(body.job_id, (job) => job.epoch > from || job.ended_at !== null, 120)
    const answer = await this.#caller.post(`/api/training/${body.job_id}/stop`)
    this.promises.check(
      'what was resumed is stopped',
      answer.body.status === 'stopped',
      JSON.stringify(answer.body),
    )
    const job = await this.#caller.status(body.job_id)
    const { events } = (
      await this.#caller.get<{ events: JobMessage[] }>(`/api/training/${job.job_id}/events`)
    ).body
    const begins = events.find(({ type }) => type === 'progress')?.epoch
    this.promises.check(
      'training goes on after the checkpoint',
      begins === from + 1,
      `epoch ${begins} after ${from}`,
    )
    await this.#checkMessages(job, [])
  }

  /** Every line of the event file was sent once, in order, with consecutive numbers; one terminal message, the last; then 1000. */
  async #checkMessages(job: Job, added: string[]): Promise<number> {
    const { messages, code } = await this.#caller.listen(job.job_id, '?since=0')
    this.promises.check('the socket is closed with 1000', code === 1000, `${code}`)
    const dense = messages.findIndex(({ seq }, index) => seq !== index + 1)
    this.promises.check('the numbers of the messages are dense', dense === -1, `at message ${dense + 1}`)
    const terminal = messages.filter(({ type }) => type === 'completed' || type === 'error')
    this.promises.check(
      'one terminal message, the last',
      terminal.length === 1 && messages.at(-1) === terminal[0],
    )
    const lines = readFileSync(this.#events(job.job_id), 'utf8').split('\n').slice(0, -1)
    const written = lines.map((line) => JSON.parse(line)).filter(({ type }) => TOLD.has(type))
    const keyOf = (message: { type: string; epoch: number; timestamp: string; batch?: number }) =>
      `${message.type} ${message.epoch} ${message.batch ?? ''} ${message.timestamp}`
    const received = messages.slice(0, messages.length - added.length)
    const wrong = written.findIndex((line, index) => {
      const message = received[index]
      return message === undefined || keyOf(line) !== keyOf(message)
    })
    this.promises.check(
      'no event is lost or told twice',
      wrong === -1 && received.length === written.length,
      `${written.length} lines were written, ${received.length} were told, the first that differs is ${wrong + 1}`,
    )
    return messages.length
  }

  #events(jobId: string): string {
    return join(this.dataDir, 'runs', jobId, 'events.1.jsonl')
  }

  /** Process that trains a job, as the service recorded it; null once it has ended. */
  #processOf(jobId: string): { pid: number } | null {
    const [row] = this.#select('SELECT handle FROM jobs WHERE job_id = ?', jobId)
    return JSON.parse(row?.handle ?? 'null')
  }

  #pidOf(jobId: string): number {
    const running = this.#processOf(jobId)
    if (!running) throw new Error('the job has no process')
    return running.pid
  }

  #select(query: string, ...values: string[]): { handle: string | null }[] {
    const database = new Libsql(join(this.dataDir, 'medloom.db'))
    const rows = database.prepare(query).all(...values) as { handle: string | null }[]
    database.close()
    return rows
  }
}

const TOLD = new Set(['progress', 'validation', 'epoch_end', 'completed', 'error'])

function readCheckpointEpoch(job: Job): number {
  return JSON.parse(readFileSync(join(job.run_dir, 'checkpoints/last/checkpoint.json'), 'utf8')).epoch
}

async function until(what: string, seconds: number, holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + seconds * 1000; !holds(); await delay(20))
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`)
}

function describe({ status, attempt, reason, error, resumable }: Job): string {
  return JSON.stringify({ status, attempt, reason, error, resumable })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '20' },
      kill: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  const { rounds, kill, seed } = values
  if (kill !== undefined && !['service', 'trainer', 'both'].includes(kill))
    throw new Error('--kill takes service, trainer or both')
  const dataset = makeDataset(join(temporaryFolder('soak-data'), 'synthetic'))
  const promises = new Promises()
  const table = () => console.log(`\n${promises.table()}`)
  const ended = registerCleanup(table)
  try {
    const done = await soakKill({
      rounds: Number(rounds),
      seed: Number(seed),
      dataset,
      promises,
      log: console.log,
      ...(kill ? { kill: kill as Victim } : {}),
    })
    const slowest = Math.max(0, ...done.map(({ noticedSeconds }) => noticedSeconds ?? 0))
    const events = done.reduce((sum, round) => sum + round.events, 0)
    console.log(`${done.length} rounds, ${events} events; slowest notice ${slowest.toFixed(2)} s`)
  } finally {
    ended()
    table()
    rmSync(dirname(dataset), { recursive: true, force: true })
  }
}
