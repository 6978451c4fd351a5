import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { type NodeContent, type PlacedFile, phrase } from '@medloom/contracts'
import type { Outputs, PlacedPaths } from '@medloom/workflow'
import { AppError } from '../../errors.js'
import type { OutputFolder } from '../../security/output-folder.js'
import { digestOfFile } from '../../storage/digests.js'
import { type ArtifactStore, copyInto } from '../cache/artifact-store.js'
import { asNodeFailure } from '../executors/node-failure.js'
import type { OutputFiles } from '../outputs/output-files.js'
import type { ProjectFolder } from './project-folder.js'

export interface PlacingParts {
  readonly store: ArtifactStore
  readonly folder: OutputFolder
  readonly files: OutputFiles
  /** Owner of the run. */
  readonly owner: string | null
}

type PlaceFiles = (outputs: Outputs) => (() => Promise<PlacedPaths>) | undefined

/**
 * For one run: the work that writes the files of a result to their paths, in the project or below the output folder, unless they are already
 * there, and returns these paths. It is the only code that writes them: a result from the cache, or from another workflow, leaves the same files as a
 * computed one. Undefined when there are none.
 * @throws NodeFailure PATH_NOT_ALLOWED, OUTPUT_EXISTS, OUTPUT_PATH_TAKEN
 */
export function createFilePlacer(project: ProjectFolder, parts: PlacingParts): PlaceFiles {
  const placing: Placing = { ...parts, project, taken: new Map() }
  return (outputs) => {
    const found = Object.entries(outputs).flatMap(([port, { content }]) => {
      const { content: sort, files = [], ...more } = content as NodeContent & Files
      const kind = sort === 'files' && 'kind' in more ? more.kind : sort
      return files.length > 0 ? [{ port, kind, files }] : []
    })
    if (found.length === 0) return undefined
    return () =>
      placeEach(placing, found).catch((thrown) => {
        throw asNodeFailure(thrown)
      })
  }
}

interface Files {
  readonly files?: readonly PlacedFile[]
}

interface Placing extends PlacingParts {
  readonly project: ProjectFolder
  /** Path below the output folder → digest of the file that a node of this run has written there. */
  readonly taken: Map<string, string>
}

async function placeEach(
  placing: Placing,
  found: readonly { port: string; kind: unknown; files: readonly PlacedFile[] }[],
): Promise<PlacedPaths> {
  const placed: Record<string, readonly string[]> = {}
  for (const { port, kind, files } of found) {
    const paths: string[] = []
    for (const file of files)
      paths.push(await (file.below === 'outputs' ? placeBelow(placing, file) : placeInProject(placing, file)))
    if (kind === 'checkpoint') await removeOthers(placing.project, files)
    placed[port] = paths
  }
  return placed
}

/** In a folder of a user. */
async function placeBelow(
  { store, folder, files, owner, taken }: Placing,
  { blob, path: place }: PlacedFile,
): Promise<string> {
  const path = await folder.resolve(place)
  const other = taken.get(path)
  if (other !== undefined && other !== blob.sha256)
    throw new AppError('OUTPUT_PATH_TAKEN', phrase('output_written_twice', { path }))
  taken.set(path, blob.sha256)
  await files.put(await store.open(blob), blob, path, owner)
  return path
}

/** In the project folder, which belongs to the service. */
async function placeInProject(
  { project, store }: Placing,
  { blob, path: place }: PlacedFile,
): Promise<string> {
  const path = inside(project.path, place)
  const found = await stat(path).catch(() => null)
  if (found?.size !== blob.size_bytes || (await digestOfFile(path)) !== blob.sha256)
    await copyInto(await store.open(blob), path)
  return path
}

/** Weights are named after their digest: without this, those of earlier runs would stay in the folder of a checkpoint. */
async function removeOthers({ path: project }: ProjectFolder, files: readonly PlacedFile[]): Promise<void> {
  const names = new Set(files.map(({ path }) => basename(path)))
  const place = dirname(files[0]?.path ?? '')
  if (!/^checkpoints\/[^/]+$/.test(place)) return
  const folder = inside(project, place)
  for (const name of await readdir(folder))
    if (!names.has(name)) await rm(join(folder, name), { recursive: true })
}

function inside(folder: string, path: string): string {
  const target = join(folder, path)
  if (target.startsWith(folder + sep)) return target
  throw new AppError('PATH_NOT_ALLOWED', phrase('output_outside_project'))
}
