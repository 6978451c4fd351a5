import { stat } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import { yieldIfDue } from '../concurrency/event-loop.js'
import type { Database } from '../database/database.js'
import type { NamedRoot } from '../security/named-roots.js'
import { unlessUnreadable } from '../storage/absent.js'
import { type Move, mapTexts, movedPath, movesOf, textsIn } from './moved-paths.js'
import { MovedRootsRepository } from './moved-roots.repository.js'

export interface FollowRootsOptions {
  readonly database: Database
  /** The roots of this start. */
  readonly roots: readonly NamedRoot[]
  readonly log: Pick<FastifyBaseLogger, 'info'>
}

/**
 * Let registered datasets and workflows follow the roots that have moved since they were stored. Only a path that exists in the new place
 * is changed: another folder of the same name is not what was meant. Paths of jobs and studies are stored with their root, and follow
 * when they are read.
 */
export async function followRoots({ database, roots, log }: FollowRootsOptions): Promise<void> {
  const repository = new MovedRootsRepository(database)
  const moves = movesOf(await repository.places(), roots)
  if (moves.length > 0) {
    const datasets = await moveDatasets(repository, moves)
    const workflows = await moveDocuments(repository, moves)
    if (datasets + workflows > 0)
      log.info({ moves, datasets, workflows }, 'stored paths follow the roots that have moved')
  }
  await repository.keep(roots)
}

async function moveDatasets(repository: MovedRootsRepository, moves: readonly Move[]): Promise<number> {
  let moved = 0
  for (const dataset of await repository.datasets()) {
    const path = movedPath(moves, dataset.path)
    if (path === null || !(await exists(path))) continue
    const [record, summary] = [await follow(dataset.record, moves), await follow(dataset.summary, moves)]
    if (await repository.moveDataset({ ...dataset, path, record, summary })) moved += 1
  }
  return moved
}

async function moveDocuments(repository: MovedRootsRepository, moves: readonly Move[]): Promise<number> {
  let moved = 0
  for (const digest of await repository.documents()) {
    await yieldIfDue()
    const before = await repository.document(digest)
    // Most documents name no path in a former place; those are not parsed.
    if (before === undefined || !moves.some(({ from }) => before.includes(JSON.stringify(from).slice(0, -1))))
      continue
    const after = await follow(before, moves)
    if (after === before) continue
    await repository.replaceDocument(digest, after)
    moved += 1
  }
  return moved
}

/** A JSON text with the paths that exist in the new place of their root. */
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
  return (await unlessUnreadable(stat(path))) !== null
}
