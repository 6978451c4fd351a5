/**
 * Thread that reads the files of trainers: a thousand trainings cause a thousand reads per second, and each read is several system calls.
 * In the thread that answers requests, as calls that wait in a pool, they were a sixth of all its work. A hanging file system blocks the
 * reading of all runs, as before, but no request. Plain JavaScript with its types in comments, like the thread of the database.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** @import { Read, Lines, Request, Response } from './protocol.js' */

/** Responses are sent at least this often, and before they exceed this size. */
const SEND_MILLISECONDS = 5
const SEND_CHARACTERS = 4 * 1024 * 1024

if (!parentPort) throw new Error('this file is the start of a thread')
const port = parentPort

port.on('message', (/** @type {Request[]} */ requests) => {
  /** @type {Response[]} */
  let responses = []
  let characters = 0
  let sent = performance.now()
  for (const request of requests) {
    const response = respond(request)
    responses.push(response)
    characters += sizeOf(response)
    if (characters < SEND_CHARACTERS && performance.now() - sent < SEND_MILLISECONDS) continue
    port.postMessage(responses)
    responses = []
    characters = 0
    sent = performance.now()
  }
  if (responses.length > 0) port.postMessage(responses)
})

/** @param {Request} request @returns {Response} */
function respond({ id, ...request }) {
  try {
    return { id, result: read(request) }
  } catch (error) {
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error)
    return { id, failure: code === undefined ? { message } : { message, code } }
  }
}

/** @param {Response} response */
function sizeOf(response) {
  const result = 'result' in response ? response.result : null
  return typeof result === 'string' ? result.length : (result?.text.length ?? 0)
}

/** @param {Read} request @returns {Lines | string | null} */
function read(request) {
  switch (request.kind) {
    case 'lines':
      return readLines(request)
    case 'text':
      return readText(request.path)
    case 'absent':
      return request.paths.find(isAbsent) ?? null
  }
}

/** @param {Extract<Read, { kind: 'lines' }>} request @returns {Lines | null} */
function readLines({ path, offset, limit, longest }) {
  const file = opened(path)
  if (file === null) return null
  try {
    const { size } = fstatSync(file)
    if (size <= offset) return null
    return nextOf({ file, offset, size }, limit, longest)
  } finally {
    closeSync(file)
  }
}

/** @param {string} path */
function opened(path) {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

/**
 * @typedef {object} Tail
 * @property {number} file
 * @property {number} offset
 * @property {number} size of the file
 */

/**
 * A line of more than `longest` bytes cannot be an event: it is returned in pieces.
 * @param {Tail} tail @param {number} limit @param {number} longest @returns {Lines | null}
 */
function nextOf(tail, limit, longest) {
  const left = tail.size - tail.offset
  const lines = linesFrom(tail, Math.min(limit, left), (bytes) => bytes.lastIndexOf(0x0a))
  if (lines || left < limit) return lines
  // If the first line exceeds the limit, return only that line.
  const line = linesFrom(tail, Math.min(longest, left), (bytes) => bytes.indexOf(0x0a))
  if (line || left < longest) return line
  const piece = bytesOf(tail, longest)
  return { end: tail.offset + piece.length, text: piece.toString('utf8'), more: piece.length < left }
}

/**
 * @param {Tail} tail @param {number} length @param {(bytes: Buffer) => number} lastOf end of the last returned line
 * @returns {Lines | null}
 */
function linesFrom(tail, length, lastOf) {
  const bytes = bytesOf(tail, length)
  const at = lastOf(bytes)
  if (at === -1) return null
  const end = tail.offset + at + 1
  return { end, text: bytes.toString('utf8', 0, at), more: end < tail.size }
}

/** @param {Tail} tail @param {number} length */
function bytesOf({ file, offset }, length) {
  const bytes = Buffer.allocUnsafe(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset))
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** True only if the system confirms it: a file system that does not answer has not lost anything. @param {string} path */
function isAbsent(path) {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}
