/**
 * A thread that holds one SQLite connection and executes what it is sent, in order: here statements and fsync block
 * nobody. Plain JavaScript with its types in comments, because a thread starts from a file as it is: this one is the same whether
 * the service runs from its sources (tsx, vitest) or from the build.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './open-connection.js'

/** @import { Response, Failure, Request, Result } from './protocol.js' */

/** Prepared statements that are kept. */
const MAX_STATEMENTS = 200
/** Responses are sent at least this often, so that the first statement of a long batch does not wait for the last. */
const SEND_MILLISECONDS = 2

if (!parentPort) throw new Error('this file is the start of a thread')
const port = parentPort
const connection = openConnection(workerData.file)
/** In order of use, oldest first. @type {Map<string, import('libsql').Statement>} */
const statements = new Map()
/** The open transaction, and the first failure inside it. @type {{ durable: boolean, failure?: Failure } | undefined} */
let transaction

port.on('message', (/** @type {Request[]} */ requests) => {
  /** @type {Response[]} */
  let responses = []
  let sent = performance.now()
  for (const request of requests) {
    const response = handle(request)
    if (response) responses.push(response)
    if (responses.length > 0 && performance.now() - sent >= SEND_MILLISECONDS) {
      port.postMessage(responses)
      responses = []
      sent = performance.now()
    }
  }
  if (responses.length > 0) port.postMessage(responses)
  // After the last responses: a port that is closed sends nothing.
  if (requests.some(({ kind }) => kind === 'close')) port.close()
})

/** @param {Request} request @returns {Response | undefined} */
function handle(request) {
  switch (request.kind) {
    case 'statement':
      return respond(request.id, () => inTransaction(() => execute(request.sql, request.parameters)))
    case 'unsent':
      return respond(request.id, () =>
        inTransaction(() => {
          throw new Error(request.message)
        }),
      )
    case 'begin':
      begin(request.durable)
      return undefined
    case 'commit':
      return respond(request.id, commit)
    case 'rollback':
      return respond(request.id, rollback)
    case 'close':
      connection.close()
      return undefined
  }
}

/** @param {number} id @param {() => Result} work @returns {Response} */
function respond(id, work) {
  try {
    return { id, result: work() }
  } catch (error) {
    return { id, failure: failureOf(error) }
  }
}

/** @param {unknown} error @returns {Failure} */
function failureOf(error) {
  const { message, code } = /** @type {Failure} */ (error)
  return code === undefined ? { message } : { message, code }
}

/**
 * A failure ends the transaction that it happens in: SQLite alone would let the statements around it stand or, after a full disk, let
 * those that follow commit one by one.
 * @param {() => Result} work @returns {Result}
 */
function inTransaction(work) {
  const failure = transaction?.failure
  if (failure) throw { ...failure, message: `the transaction has failed: ${failure.message}` }
  try {
    return work()
  } catch (error) {
    if (transaction) transaction.failure = failureOf(error)
    throw error
  }
}

/** @param {string} sql @param {unknown[]} parameters @returns {Result} */
function execute(sql, parameters) {
  try {
    const statement = prepare(sql, parameters.length > 0)
    if (statement.reader) return { rows: /** @type {Result["rows"]} */ (statement.all(parameters)) }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], changes, lastInsertRowid: Number(lastInsertRowid) }
  } catch (error) {
    statements.delete(sql)
    throw error
  }
}

/** Pragmas take effect while they are prepared and have no parameters: what has none is never kept. @param {string} sql @param {boolean} keep */
function prepare(sql, keep) {
  const known = statements.get(sql)
  if (known) statements.delete(sql)
  const statement = known ?? connection.prepare(sql)
  if (keep) statements.set(sql, statement)
  const [oldest] = statements.keys()
  if (statements.size > MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest)
  return statement
}

/** @param {boolean} durable */
function begin(durable) {
  transaction = { durable }
  try {
    // Only outside of a transaction does SQLite change how it commits.
    if (!durable) connection.exec('PRAGMA synchronous = NORMAL')
    // The right to write is taken at once: a transaction that has read before another process wrote could never write.
    connection.exec('BEGIN IMMEDIATE')
  } catch (error) {
    transaction.failure = failureOf(error)
  }
}

/** @returns {Result} */
function commit() {
  const failure = transaction?.failure
  if (failure) {
    rollback()
    throw { ...failure, message: `the transaction was rolled back: ${failure.message}` }
  }
  try {
    connection.exec('COMMIT')
  } catch (error) {
    rollback()
    throw error
  }
  return ended()
}

/** @returns {Result} */
function rollback() {
  // A full disk ends a transaction by itself: no rollback that finds none may hide the error that says so.
  if (connection.inTransaction) connection.exec('ROLLBACK')
  return ended()
}

/** @returns {Result} */
function ended() {
  const { durable } = transaction ?? { durable: true }
  transaction = undefined
  if (!durable) connection.exec('PRAGMA synchronous = FULL')
  return { rows: [] }
}
