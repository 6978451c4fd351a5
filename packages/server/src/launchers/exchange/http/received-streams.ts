import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { type ExchangeOrder, type ExchangeStream, runPath } from '@medloom/contracts'
import type { RunDirectory } from '../../../storage/run-directory.js'
import { logParts } from '../run-log.js'
import { LatestWriter } from './latest-writer.js'
import { type Piece, writePieces, wrongOffset } from './write-pieces.js'

/** A training.log that exceeds this size becomes a separate part, as if its trainer had written it. */
const PART_BYTES = 1024 * 1024
/** The first part and the newest ones. */
const KEPT_PARTS = 4

/** Growing files that a node sends, written like those of a trainer with a shared folder. */
export class ReceivedStreams {
  readonly #writers = new LatestWriter()

  async offsets(run: RunDirectory, attempt: number): Promise<ExchangeOrder['streams']> {
    const [events, resources, log] = await Promise.all([
      sizeOf(run.events(attempt)),
      sizeOf(run.resources(attempt)),
      endOf(run.log),
    ])
    return { events, resources, log }
  }

  /** @returns the number of stored bytes. @throws AppError UPLOAD_OFFSET, PAYLOAD_TOO_LARGE */
  append(
    run: RunDirectory,
    attempt: number,
    stream: ExchangeStream,
    given: { readonly offset: number; readonly content: Readable },
  ): Promise<number> {
    return this.#writers.run(`${run.path} ${stream}`, (signal) => {
      const piece = { ...given, signal }
      if (stream === 'log') return appendLog(run.log, piece)
      return appendFile(stream === 'events' ? run.events(attempt) : run.resources(attempt), piece)
    })
  }
}

async function appendFile(path: string, piece: Piece, start = 0): Promise<number> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    return start + (await writePieces(file, { ...piece, offset: piece.offset - start }))
  } finally {
    await file.close()
  }
}

/** Offsets count everything ever written. Text that the node no longer has is missing between two parts. */
async function appendLog(path: string, piece: Piece): Promise<number> {
  const end = await endOf(path)
  if (piece.offset > end) return appendFile(await partAfterGap(path, piece.offset), piece, piece.offset)
  const start = await startOf(path)
  if (piece.offset < start) throw wrongOffset(end)
  const size = await appendFile(path, piece, start)
  if (size - start >= PART_BYTES) await makePart(path, start)
  return size
}

async function partAfterGap(path: string, offset: number): Promise<string> {
  if ((await sizeOf(path)) > 0) await makePart(path, await startOf(path))
  return partOf(path, offset)
}

async function makePart(path: string, start: number): Promise<void> {
  await rename(path, partOf(path, start))
  const parts = await logParts(path)
  for (const part of parts.slice(1, Math.max(1, parts.length + 1 - KEPT_PARTS)))
    await rm(part.path, { force: true })
}

function partOf(path: string, start: number): string {
  return join(dirname(path), basename(runPath('log_part', { start })))
}

async function endOf(path: string): Promise<number> {
  return (await logParts(path)).at(-1)?.end ?? 0
}

/** Position of the current file in the whole log. */
async function startOf(path: string): Promise<number> {
  return (await endOf(path)) - (await sizeOf(path))
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path).catch(() => null)
  if (!file) return 0
  try {
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}
