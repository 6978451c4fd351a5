import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedToken, Role } from '@medloom/contracts'
import { PostgresCluster } from '../../../packages/server/testing/postgres-cluster.js'
import { executeStatement } from '../../../packages/server/testing/postgres-server.js'
import { registerCleanup } from '../../testing/cleanup.js'
import { makeDataset } from '../../testing/dataset.js'
import { type RunningService, startService, temporaryFolder } from '../../testing/service.js'
import { type Reply, send } from './send.js'

/** Maximum number of queued jobs of the attacked service, small so that an attack reaches the limit quickly. */
export const QUEUE = 12

export type User = 'ann' | 'bob' | 'eve' | 'mal'

/** Users of the attacked service: an administrator, two with permission to train, and one with read access without identifiers. */
const USERS: readonly (readonly [User, Role])[] = [
  ['ann', 'admin'],
  ['bob', 'run'],
  ['mal', 'run'],
  ['eve', 'read'],
]

/** Addresses and secrets of a controller and an API process of one service. */
export interface Processes {
  readonly api: string
  readonly controller: string
  readonly internalKey: string
  readonly secret: string
}

/** The attacked service on loopback, with its own data folder, and its users. */
export class Target {
  readonly #secrets = new Map<User, CreatedToken>()
  #processes: Promise<Processes> | undefined
  readonly #ends: (() => Promise<void>)[] = []

  private constructor(
    readonly folder: string,
    readonly dataset: string,
    readonly service: RunningService,
  ) {}

  static async start(): Promise<Target> {
    const folder = temporaryFolder('attack')
    const dataset = makeDataset(join(folder, 'root', 'set'), { cases: 40 })
    const service = await startService({
      roots: [join(folder, 'root')],
      arguments: ['--max-queued', String(QUEUE), '--max-jobs', '1'],
    })
    const target = new Target(folder, dataset, service)
    for (const [user, role] of USERS) {
      const identifiers = role !== 'read'
      target.#secrets.set(user, await target.createToken({ user, role, name: 'attack', identifiers }))
    }
    return target
  }

  get url(): string {
    return this.service.url
  }

  secretOf(user: User): string {
    const token = this.#secrets.get(user)
    if (!token) throw new Error(`${user} has no token`)
    return token.secret
  }

  as(user: User): { readonly authorization: string } {
    return { authorization: `Bearer ${this.secretOf(user)}` }
  }

  /** Sends a request of a user; null: without a token. */
  send(user: User | null, method: string, path: string, body?: unknown): Promise<Reply> {
    return send(this.url, method, path, { headers: user ? this.as(user) : {}, body })
  }

  /** Sent by the administrator; the first token can be created by anybody, as on any new service. */
  async createToken(token: object): Promise<CreatedToken> {
    const { status, json, text } = await this.send(
      this.#secrets.has('ann') ? 'ann' : null,
      'POST',
      '/api/tokens',
      token,
    )
    if (status !== 200) throw new Error(`no token was created: ${text}`)
    return json as unknown as CreatedToken
  }

  /** A folder that no other attack uses. */
  newFolder(name: string): string {
    const made = join(this.folder, name)
    mkdirSync(made, { recursive: true })
    return made
  }

  /** A controller and an API process with a database server, started at their first attack. */
  processes(): Promise<Processes> {
    this.#processes ??= this.#startProcesses()
    return this.#processes
  }

  async #startProcesses(): Promise<Processes> {
    const postgres = await PostgresCluster.create()
    const unregister = registerCleanup(() => void postgres.remove())
    this.#ends.push(async () => {
      await postgres.remove()
      unregister()
    })
    await executeStatement('CREATE DATABASE medloom', postgres.url())
    const url = postgres.url('medloom')
    const dataDir = temporaryFolder('attack-processes')
    const start = async (role: string) => {
      const flags = ['--role', role, '--database-url', url]
      const started = await startService({ roots: [join(this.folder, 'root')], dataDir, arguments: flags })
      this.#ends.unshift(() => started.kill())
      return started.url
    }
    const controller = await start('controller')
    const api = await start('api')
    const first = { user: 'ann', role: 'admin', name: 'attack' }
    const { json } = await send(api, 'POST', '/api/tokens', { body: first })
    const [row] = await executeStatement<{ internal_key: string }>(
      'SELECT internal_key FROM controllers ORDER BY fence DESC LIMIT 1',
      url,
    )
    return { api, controller, internalKey: row?.internal_key ?? '', secret: String(json.secret) }
  }

  async stop(): Promise<void> {
    await this.service.kill()
    for (const end of this.#ends) await end()
  }
}
