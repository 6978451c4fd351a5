import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Job, JobResponse } from '@medloom/contracts'
import { createDatabase, executeStatement } from './postgres-server.js'
import { serviceProgram } from './service-program.js'
import { follow, Place } from './training/training-service.js'

type Role = 'all' | 'api' | 'controller'

const START_MILLISECONDS = 60_000

/** Processes of one service: a database on the server, a data folder, and small programs in place of Python. */
export class ServiceProcesses {
  readonly place = new Place()
  readonly #running = new Set<ServiceProcess>()

  private constructor(readonly url: string) {}

  static async create(): Promise<ServiceProcesses> {
    return new ServiceProcesses(await createDatabase())
  }

  /** Resolves once it is ready, or waits for its turn. */
  async start(role: Role, ...flags: string[]): Promise<ServiceProcess> {
    const { root, dataDir } = this.place
    const process = new ServiceProcess([
      ...['--role', role, '--port', '0', '--data-dir', dataDir, '--root', root, '--prewarm', 'off'],
      ...['--python', join(import.meta.dirname, 'node-worker.mjs'), '--database-url', this.url, ...flags],
    ])
    this.#running.add(process)
    await process.says(/Medloom is ready at|this process is on standby/)
    return process
  }

  query<Row extends object>(statement: string): Promise<Row[]> {
    return executeStatement<Row>(statement, this.url)
  }

  /** Databases are dropped at the end of all tests. */
  async remove(): Promise<void> {
    for (const process of this.#running) await process.kill()
    this.place.remove()
  }
}

export class ServiceProcess {
  readonly #child: ChildProcess
  #output = ''
  #onChange: () => void = () => undefined

  constructor(flags: readonly string[]) {
    this.#child = spawn(process.execPath, [serviceProgram(), ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
    const hear = (piece: Buffer) => {
      this.#output += piece
      this.#onChange()
    }
    this.#child.stdout?.on('data', hear)
    this.#child.stderr?.on('data', hear)
    this.#child.once('exit', () => this.#onChange())
  }

  /** The address at which it listens. */
  get address(): string {
    const address = /Medloom is ready at (http:\S+)/.exec(this.#output)?.[1]
    if (!address) throw new Error(`the process is not ready: ${this.#output}`)
    return address
  }

  /** Number of matches in its output. */
  times(what: RegExp): number {
    return [...this.#output.matchAll(new RegExp(what, 'g'))].length
  }

  /** Resolves once its output contains this number of matches. */
  async says(what: RegExp, times = 1): Promise<void> {
    const late = setTimeout(() => this.#child.kill('SIGKILL'), START_MILLISECONDS)
    try {
      while (this.times(what) < times) {
        if (this.#child.exitCode !== null || this.#child.signalCode !== null)
          throw new Error(`the process ended before it said ${what}:\n${this.#output}`)
        await new Promise<void>((resolve) => {
          this.#onChange = resolve
        })
      }
    } finally {
      clearTimeout(late)
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  async send<Body>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Body }> {
    const response = await fetch(this.address + path, {
      method,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }

  async train(place: Place, name: string, training: object = {}): Promise<string> {
    const config = place.config(training)
    const { status, body } = await this.send<JobResponse>('POST', '/api/training/start', {
      config,
      job_name: name,
    })
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body.job_id
  }

  async job(jobId: string): Promise<Job> {
    return (await this.send<Job>('GET', `/api/training/${jobId}/status`)).body
  }

  follow(jobId: string, query = '') {
    return follow(`${this.address.replace('http', 'ws')}/ws/training/${jobId}${query}`)
  }
}
