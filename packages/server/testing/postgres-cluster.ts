import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-ports.js'

const run = promisify(execFile)

/** Folders in which distributions install the programs of the server. */
const FOLDERS = [
  process.env.MEDLOOM_TEST_POSTGRES_BIN ?? '',
  ...(existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`)
    : []),
  ...(process.env.PATH ?? '').split(':'),
]

/** The folder of the PostgreSQL programs; undefined: not installed. */
export const POSTGRES_PROGRAMS: string | undefined = FOLDERS.find(
  (folder) => folder !== '' && existsSync(join(folder, 'pg_ctl')) && existsSync(join(folder, 'postgres')),
)

/** A PostgreSQL server for a single test, which may be stopped in the middle of a commit. */
export class PostgresCluster {
  private constructor(
    readonly folder: string,
    readonly port: number,
  ) {}

  static async create(): Promise<PostgresCluster> {
    // The paths of sockets must be short.
    const cluster = new PostgresCluster(mkdtempSync('/tmp/medloom-pg-'), await freePort())
    if (process.getuid?.() === 0) await run('chown', ['postgres', cluster.folder])
    await cluster.#program('initdb', ['-D', cluster.#data, '-U', 'medloom', '--auth=trust', '-E', 'UTF8'])
    await cluster.start()
    return cluster
  }

  url(database = 'postgres'): string {
    return `postgres://medloom@127.0.0.1:${this.port}/${database}`
  }

  start(...settings: readonly string[]): Promise<void> {
    return this.#serve('start', settings)
  }

  /** Only starts a server that is stopped. */
  restart(...settings: readonly string[]): Promise<void> {
    return this.#serve('restart', settings)
  }

  /** "immediate" acts like a power failure of the machine; the next start recovers committed data. */
  stop(mode: 'fast' | 'immediate'): Promise<void> {
    return this.#program('pg_ctl', ['-D', this.#data, '-w', '-m', mode, 'stop'])
  }

  async remove(): Promise<void> {
    await this.stop('immediate').catch(() => undefined)
    rmSync(this.folder, { recursive: true, force: true })
  }

  get #data(): string {
    return join(this.folder, 'data')
  }

  #serve(action: 'start' | 'restart', settings: readonly string[]): Promise<void> {
    const options = [
      `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder}`,
      ...settings.map((setting) => `-c ${setting}`),
    ].join(' ')
    return this.#program('pg_ctl', [
      '-D',
      this.#data,
      '-w',
      '-l',
      join(this.folder, 'log'),
      '-o',
      options,
      action,
    ])
  }

  /** The server refuses to run as root. */
  async #program(name: string, args: readonly string[]): Promise<void> {
    const path = join(POSTGRES_PROGRAMS ?? '', name)
    if (process.getuid?.() === 0)
      await run('setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', path, ...args])
    else await run(path, args as string[])
  }
}
