import { stat } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import { yieldIfDue } from '../concurrency/event-loop.js'
import type { Database } from '../database/database.js'
import type { NamedRoot } from '../security/named-roots.js'
import { nullIfUnreadable } from '../storage/null-if-missing.js'
import { type Move, mapTexts, movedPath, movesOf, textsIn } from './moved-paths.js'
import { MovedRootsRepository } from './moved-roots.repository.js'

export interface FollowRootsOptions {
  readonly database: Database
  /** The roots of this start. */
  readonly roots: readonly NamedRoot[]
  readonly log: Pick<FastifyBaseLogger, 'info'>
}

/**
 * Update registered datasets and workflows to the new locations of roots that have moved. A path is changed only if it exists in the new
 * location: another folder with the same name is not the same data. Paths of jobs and studies are stored relative to their root and are
 * resolved when they are read.
 */
export async function followRoots({ database, roots, log }: FollowRootsOptions): Promise<void> {
  const repository = new MovedRootsRepository(database)
  const moves = movesOf(await repository.places(), roots)
  if (moves.length > 0) {
    const datasets = await moveDatasets(repository, moves)
    const workflows = await moveDocuments(repository, moves)
    if (datasets + workflows > 0)
      log.info({ moves, datasets, workflows }, 'stored paths were updated to the new locations of the roots')
  }
  await repository.keep(roots)
}

async function moveDatasets(repository: MovedRootsRepository, moves: readonly Move[]): Promise<number> {
  let moved = 0
  for (const dataset of await repository.datasets()) {
    const elsewhere = movedPath(moves, dataset.path)
    const path = elsewhere !== null && (await exists(elsewhere)) ? elsewhere : dataset.path
    // The images can be in a root that moved, and the table in one that did not.
    const [record, summary] = [await follow(dataset.record, moves), await follow(dataset.summary, moves)]
    if (record === dataset.record && summary === dataset.summary) continue
    if (await repository.moveDataset({ ...dataset, path, record, summary })) moved += 1
  }
  return moved
}

async function moveDocuments(repository: MovedRootsRepository, moves: readonly Move[]): Promise<number> {
  let moved = 0
  for (const digest of await repository.documents()) {
    await yieldIfDue()
    const before = await repository.document(digest)
    // Most documents contain no path in a former location; those are not parsed.
    if (before === undefined || !moves.some(({ from }) => before.includes(JSON.stringify(from).slice(0, -1))))
      continue
    const after = await follow(before, moves)
    if (after === before) continue
    await repository.replaceDocument(digest, after)
    moved += 1
  }
  return moved
}

/** A JSON text in which paths that exist in the new location of their root are replaced. */
async function follow(json: string, moves: readonly Move[]): Promise<string> {
  const value: unknown = JSON.parse(json)
  const found = new Map<string, string>()
  for (const text of new Set(textsIn(value))) {
    const path = movedPath(moves, text)
    if (path !== null && (await exists(path))) found.set(text, path)
  }
  return found.size === 0 ? json : JSON.stringify(mapTexts(value, (text) => found.get(text) ?? text))
}

async function exists(path: string): Promise<boolean> {
  return (await nullIfUnreadable(stat(path))) !== null
}
