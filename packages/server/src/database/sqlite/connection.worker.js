/**
 * Thread that holds one SQLite connection and executes requests in order, so that statements and fsync do not block the service. Plain
 * JavaScript with its types in comments, because a thread loads its file directly: the same file is used whether the service runs from its
 * sources (tsx, vitest) or from the build.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './open-connection.js'

/** @import { Response, Failure, Request, Result, Statement } from './protocol.js' */

/** Maximum number of prepared statements in memory. */
const MAX_STATEMENTS = 200
/** Responses are sent at least this often, so that the first statement of a long batch does not wait for the last. */
const SEND_MILLISECONDS = 2
/** A statement that begins like this changes nothing; any other may. */
const READS = /^select\b/i

if (!parentPort) throw new Error('this file is the start of a thread')
const port = parentPort
const connection = openConnection(workerData.file)
/** In order of use, oldest first. @type {Map<string, import('libsql').Statement>} */
const statements = new Map()
/** The open transaction, and the first failure inside it. @type {{ failure?: Failure } | undefined} */
let transaction
/** Reports whether a commit now waits for the disk. It is changed only when the next write needs the other kind. */
let isDurable = true

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
  // After the last responses: a closed port sends nothing.
  if (requests.some(({ kind }) => kind === 'close')) port.close()
})

/** @param {Request} request @returns {Response | undefined} */
function handle(request) {
  switch (request.kind) {
    case 'statement':
      return respond(request.id, () => inTransaction(() => statement(request)))
    case 'transaction':
      return respond(request.id, () => wholeTransaction(request.durable, request.statements))
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
 * A failure ends its transaction: SQLite itself would let the earlier statements commit or, after a full disk, commit the following
 * statements one by one.
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

/** @param {boolean} durable @param {readonly Statement[]} statements @returns {Result} */
function wholeTransaction(durable, statements) {
  begin(durable)
  try {
    for (const each of statements) inTransaction(() => execute(each))
  } catch (error) {
    rollback()
    throw error
  }
  return commit()
}

/** Outside a transaction, a statement is committed at once, and waits for the disk. @param {Statement} request @returns {Result} */
function statement(request) {
  if (!transaction && !READS.test(request.sql)) waitForDisk(true)
  return execute(request)
}

/** @param {Statement} request @returns {Result} */
function execute({ sql, parameters }) {
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

/**
 * Pragmas take effect when they are prepared, and have no parameters: statements without parameters are therefore never kept.
 * @param {string} sql @param {boolean} keep
 */
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
  transaction = {}
  try {
    waitForDisk(durable)
    // The write lock is acquired at once: a transaction that has read before another process wrote could never write.
    connection.exec('BEGIN IMMEDIATE')
  } catch (error) {
    transaction.failure = failureOf(error)
  }
}

/** SQLite changes how it commits only outside a transaction. @param {boolean} durable */
function waitForDisk(durable) {
  if (durable === isDurable) return
  connection.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`)
  isDurable = durable
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
  // A full disk ends a transaction automatically: a rollback without a transaction must not hide that error.
  if (connection.inTransaction) connection.exec('ROLLBACK')
  return ended()
}

/** @returns {Result} */
function ended() {
  transaction = undefined
  return { rows: [] }
}
