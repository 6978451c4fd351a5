import {
  type Driver,
  type Dialect as KyselyDialect,
  type OperatorNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import type { DatabaseDialect, DatabaseServer, TransactionKind } from '../dialect.js'
import { TransactionGate } from '../transaction-gate.js'
import { POSTGRES_DDL } from './ddl.js'
import { Notifications } from './notifications.js'
import { ServerConnection } from './server-connection.js'
import { checkServerUrl } from './server-url.js'
import { lockNumber, type Session } from './session.js'
import { attempt, SessionDriver } from './session-driver.js'

export interface PostgresOptions {
  readonly url: string
  /** Role of this process; the server shows it as medloom-<role>. */
  readonly role: string
  /** True if a lost connection is reestablished; otherwise it stays lost. */
  readonly reconnect: boolean
}

/** A PostgreSQL server that several processes share, each on one connection that executes requests in order. */
export function postgresDialect({ url, role, reconnect }: PostgresOptions): DatabaseDialect {
  return {
    ddl: POSTGRES_DDL,
    async connect(events) {
      checkServerUrl(url)
      const options = { url, name: `medloom-${role}` }
      let schema = ''
      const prepare = async (session: Session) => {
        const { rows } = await session.query('SELECT current_schema() AS schema')
        schema = String(rows[0]?.schema)
      }
      const connection = await ServerConnection.open({ ...options, reconnect, events, prepare })
      const notifications = new Notifications(options)
      const gate = new TransactionGate()
      const { session } = connection
      // Acquired by each transaction that is not shared, so that it excludes those of all processes, like the single writer of SQLite.
      const lock = () => `SELECT pg_advisory_xact_lock(${lockNumber(schema, 'transaction')})`
      const begin = ({ isRelaxed, isShared }: TransactionKind) =>
        [
          'BEGIN',
          ...(isRelaxed ? ['SET LOCAL synchronous_commit = off'] : []),
          ...(isShared ? [] : [lock()]),
        ].join('; ')
      const driverFor = (kind: TransactionKind) =>
        new SessionDriver({ session, gate, begin: () => begin(kind), patient: kind.isPatient ?? false })
      return {
        dialectFor: (kind) => kyselyDialect(driverFor(kind)),
        executeAtOnce: (queries) => driverFor({ isRelaxed: true }).executeAtOnce(queries),
        reading: kyselyDialect(asideDriver(notifications)),
        server: {
          ...serverOf(connection, gate, notifications, () => schema),
          aside: kyselyDialect(asideDriver(notifications)),
        },
        close: async () => {
          await notifications.close()
          await connection.close()
        },
      }
    },
  }
}

function serverOf(
  { session }: ServerConnection,
  gate: TransactionGate,
  notifications: Notifications,
  schema: () => string,
): Omit<DatabaseServer, 'aside'> {
  const nameOf = (channel: string) => `medloom_${lockNumber(schema(), 'channel', channel)}`
  const query = (text: string, ...values: string[]) =>
    new Promise<Record<string, unknown> | undefined>((resolve, reject) => {
      gate.pass(() => {
        attempt(session, text, values).then(({ rows }) => resolve(rows[0]), reject)
      })
    })
  return {
    tryLock: async (name) => {
      const row = await query('SELECT pg_try_advisory_lock($1) AS locked', lockNumber(schema(), 'lock', name))
      return row?.locked === 1
    },
    unlock: async (name) => {
      await query('SELECT pg_advisory_unlock($1)', lockNumber(schema(), 'lock', name))
    },
    holder: async (name) => {
      const row = await query(
        `SELECT pid FROM pg_locks WHERE ${HELD} AND ${LOCK_NUMBER} = $1`,
        lockNumber(schema(), 'lock', name),
      )
      return row ? Number(row.pid) : null
    },
    endHolder: async (name, pid) => {
      await query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE ${HELD} AND ${LOCK_NUMBER} = $1 AND pid = $2`,
        lockNumber(schema(), 'lock', name),
        String(pid),
      )
    },
    listen: (channel, handler) => notifications.listen(nameOf(channel), handler),
    notify: async (channel, payload, transaction) => {
      if (transaction) await sql`SELECT pg_notify(${nameOf(channel)}, ${payload})`.execute(transaction)
      else await query('SELECT pg_notify($1, $2)', nameOf(channel), payload)
    },
  }
}

/** Session locks with 64-bit numbers in this database, as listed in pg_locks. */
const HELD = `locktype = 'advisory' AND objsubid = 1 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
const LOCK_NUMBER = '((classid::bigint << 32) | objid::bigint)'

function asideDriver(notifications: Notifications): SessionDriver {
  return new SessionDriver({
    session: notifications.session,
    opened: () => notifications.open(),
    gate: new TransactionGate(),
    begin: () => 'BEGIN; SET LOCAL synchronous_commit = off',
    patient: false,
  })
}

/** `LIKE` ignores the case of A to Z; columns have the collation "C", where only these letters have a case. */
class QueryCompiler extends PostgresQueryCompiler {
  protected override visitOperator({ operator }: OperatorNode): void {
    this.append(operator === 'like' ? 'ilike' : operator === 'not like' ? 'not ilike' : operator)
  }
}

function kyselyDialect(driver: Driver): KyselyDialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new QueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  }
}
