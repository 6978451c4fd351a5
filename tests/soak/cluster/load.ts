import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  isTerminal,
  type Job,
  type JobMessage,
  type TrainingConfigInput,
  type WorkflowStatus,
} from '@medloom/contracts'
import type { Caller } from '../../testing/http.js'
import { trainingConfig } from '../../testing/training.js'
import { workflow as draw, tableModel, Workflows } from '../../testing/workflow.js'
import type { Promises } from '../promises.js'
import type { Deployment } from './deployment.js'

/** Work that a deployment has acknowledged, and the conditions that must hold once everything has ended. */
export class Load {
  readonly jobs: string[] = []
  readonly runs: { workflow: string; run: string }[] = []

  constructor(
    readonly deployment: Deployment,
    readonly promises: Promises,
  ) {}

  /** Table trainings of some seconds each, accepted by both API processes in turn. */
  async accept(count: number, epochs = 30): Promise<void> {
    for (let index = 0; index < count; index++) await this.train(this.ofTable({ epochs }), index % 2)
  }

  /** A training of the table only. */
  ofTable(training: Partial<TrainingConfigInput['training']>): TrainingConfigInput {
    const { dataset } = this.deployment.options
    return trainingConfig(dataset, {
      model: { vision_backbone: 'none' },
      training: { batch_size: 4, ...training },
    })
  }

  /** Repeats the request with the same key until it is acknowledged, as the client does. @returns id of the job */
  async train(config: object, api = 0): Promise<string> {
    const key = randomUUID()
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(200)) {
      const { status, body } = await this.#start(this.deployment.api(api), key, config)
      if (status === 200) {
        const jobId = String(body.job_id)
        this.jobs.push(jobId)
        return jobId
      }
      if (status !== 0 && status !== 503) throw new Error(`refused: ${status} ${JSON.stringify(body)}`)
    }
    throw new Error('not acknowledged within a minute')
  }

  /** Status 0: no response. */
  async #start(api: Caller, key: string, config: object) {
    try {
      return await api.post(
        '/api/training/start',
        { config, job_name: `key ${key}` },
        { 'idempotency-key': key },
      )
    } catch {
      return { status: 0, body: {} as Record<string, unknown> }
    }
  }

  /** Starts a workflow that trains on the table, and returns while it is running. */
  async run(): Promise<void> {
    const { dataset } = this.deployment.options
    const { nodes, wires } = tableModel(200)
    const document = draw({ data: ['LoadTabular', { path: join(dataset, 'train.csv') }], ...nodes }, [
      ...wires,
      'data.dataframe > train.train_dataset',
    ])
    const workflows = new Workflows(this.deployment.api(0))
    const workflow = await workflows.create(document)
    await this.execute(workflow)
    await workflows.until(workflow, ({ nodes }) => nodes.train?.status === 'running')
  }

  async execute(workflow: string): Promise<void> {
    const { body } = await new Workflows(this.deployment.api(0)).execute(workflow)
    this.runs.push({ workflow, run: body.run_id })
  }

  /** @returns id of the job that continues from the last checkpoint. */
  async resume(jobId: string): Promise<string> {
    const { status, body } = await this.deployment.api(0).post(`/api/training/${jobId}/resume`)
    if (status !== 200) throw new Error(`refused: ${status} ${JSON.stringify(body)}`)
    this.jobs.push(String(body.job_id))
    return String(body.job_id)
  }

  /** Follows the messages of a job over one API process from the start, however often the connection ends. */
  async follow(jobId: string, api: number): Promise<JobMessage[]> {
    const received: JobMessage[] = []
    for (const deadline = Date.now() + 300_000; Date.now() < deadline; await delay(200)) {
      const since = received.at(-1)?.seq ?? 0
      const piece = await this.deployment
        .api(api)
        .listen(jobId, `?since=${since}`)
        .catch(() => null)
      received.push(...(piece?.messages ?? []))
      if (piece?.code === 1000) return received
    }
    throw new Error('the socket did not end within five minutes')
  }

  status(jobId: string): Promise<Job> {
    return this.#repeat((api) => api.status(jobId))
  }

  /** Waits until a job satisfies `reached`. */
  async until(jobId: string, reached: (job: Job) => boolean, seconds = 180): Promise<Job> {
    for (const deadline = Date.now() + seconds * 1000; ; await delay(100)) {
      const job = await this.status(jobId)
      if (reached(job)) return job
      if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${JSON.stringify(job)}`)
    }
  }

  ended(jobId: string, seconds?: number): Promise<Job> {
    return this.until(jobId, ({ status }) => isTerminal(status), seconds)
  }

  /** No acknowledged work is lost, every job has ended, no result is counted twice, no job is reported as running that does not run. */
  async check(allowed: readonly Job['status'][], seconds = 300): Promise<Job[]> {
    const { promises } = this
    const ended: Job[] = []
    for (const jobId of this.jobs) ended.push(await this.ended(jobId, seconds))
    promises.check('all jobs end', ended.length === this.jobs.length)
    for (const job of ended) {
      promises.check(
        'a job ends as its fault allows',
        allowed.includes(job.status),
        JSON.stringify({ status: job.status, reason: job.reason, error: job.error }),
      )
      await this.#checkMessages(job)
    }
    for (const { workflow, run } of this.runs) await this.#checkRun(workflow, run, seconds)
    await this.#checkRows(ended)
    return ended
  }

  async #checkMessages(job: Job): Promise<void> {
    const messages = await this.follow(job.job_id, 1)
    const repeated = messages.findIndex(({ seq }, index) => seq <= (messages[index - 1]?.seq ?? 0))
    this.promises.check(
      'no message is told twice, or out of order',
      repeated === -1,
      `${job.job_id} at ${repeated}`,
    )
    // Superseded progress is not stored permanently; the results of epochs are.
    const epochs = messages.filter(({ type }) => type === 'epoch_end').map(({ epoch }) => epoch)
    const lost = epochs.findIndex((epoch, index) => epoch !== index + 1)
    this.promises.check(
      'every epoch of a first attempt is told once',
      job.attempt > 1 ||
        job.resumed_from !== null ||
        (lost === -1 && epochs.length === (job.status === 'failed' ? epochs.length : job.epoch)),
      `${epochs.length} of ${job.epoch} in ${job.job_id}`,
    )
    const terminal = messages.filter(({ type }) => type === 'completed' || type === 'error')
    this.promises.check(
      'one terminal message, the last',
      terminal.length === 1 && messages.at(-1) === terminal[0],
      `${terminal.length} in ${job.job_id}`,
    )
  }

  async #checkRows(ended: readonly Job[]): Promise<void> {
    const { deployment, promises } = this
    const named = await deployment.select<{ count: string }>(
      'SELECT count(*) AS count FROM jobs WHERE resumed_from IS NULL GROUP BY job_name HAVING count(*) > 1',
    )
    promises.check('no acknowledged work is done twice', named.length === 0, JSON.stringify(named))
    const models = await deployment.select<{ job_id: string; count: string }>(
      'SELECT job_id, count(*) AS count FROM models GROUP BY job_id',
    )
    const completed = ended.filter(({ status }) => status === 'completed')
    promises.check(
      'no result is counted twice',
      models.every(({ count }) => Number(count) === 1) &&
        completed.every(({ job_id }) => models.some((model) => model.job_id === job_id)),
    )
    const running = await deployment.select("SELECT job_id FROM jobs WHERE status = 'running'")
    promises.check('nothing claims to run that does not', running.length === 0, JSON.stringify(running))
  }

  async #checkRun(workflow: string, run: string, seconds: number): Promise<void> {
    for (const deadline = Date.now() + seconds * 1000; ; await delay(200)) {
      const { body } = await this.#repeat((api) =>
        api.get<WorkflowStatus>(`/api/workflow/${workflow}/status?run_id=${run}`),
      )
      const { status, nodes } = body
      if (status !== 'pending' && status !== 'running') {
        const states = Object.values(nodes).map((node) => node.status)
        this.promises.check(
          'a workflow run ends, and none of its nodes is left running',
          status === 'success' && !states.includes('running') && !states.includes('pending'),
          `${status}: ${states.join(' ')}`,
        )
        return
      }
      if (Date.now() > deadline) throw new Error(`the run did not end: ${JSON.stringify(body)}`)
    }
  }

  /** Response of either API process, which may be dead, or without a controller or database, for some time. */
  async #repeat<Result>(request: (api: Caller) => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt++)
      try {
        const answer = await request(this.deployment.api(attempt % 2))
        const { status } = answer as { status?: unknown }
        if (typeof status === 'number' && status !== 200) throw new Error(`status ${status}`)
        if ((answer as { code?: string }).code) throw new Error(JSON.stringify(answer))
        return answer
      } catch (error) {
        if (attempt > 150) throw error
        await delay(200)
      }
  }
}
