import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, sep } from 'node:path'
import type { FilesContent, NodeContent } from '@medloom/contracts'
import type { Outputs } from '@medloom/workflow'
import type { z } from 'zod'
import { AppError } from '../../errors.js'
import { digestOfFile } from '../../storage/digests.js'
import { type ArtifactStore, copyInto } from '../cache/artifact-store.js'
import type { ProjectFolder } from './project-folder.js'

type Files = z.infer<typeof FilesContent>
type File = Files['files'][number]

/**
 * The files that a result names are where it names them, with the content that it has: in the project, or where the person who drew the
 * node wants them. A result that comes from the cache, or from a run of another workflow, leaves the same as one that is computed.
 * Undefined when there are none. @throws AppError PATH_NOT_ALLOWED when a place may not be written any more
 */
export function placeFiles(
  project: ProjectFolder,
  store: ArtifactStore,
  outputs: Outputs,
): Promise<void> | undefined {
  const found = Object.values(outputs).flatMap(({ content }) => {
    const files = content as NodeContent
    return files.content === 'files' && files.files.length > 0 ? [files] : []
  })
  return found.length === 0 ? undefined : placeEach(project, store, found)
}

async function placeEach(
  project: ProjectFolder,
  store: ArtifactStore,
  found: readonly Files[],
): Promise<void> {
  for (const { kind, files } of found) {
    await placeAll(project, store, files)
    if (kind === 'checkpoint') await removeOthers(project, files)
  }
}

/** The folder of a checkpoint is its own: weights of an earlier run, named after their digest, would stay for ever. */
async function removeOthers({ path: project }: ProjectFolder, files: readonly File[]): Promise<void> {
  const kept = new Set(files.map(({ path }) => basename(path)))
  const place = dirname(files[0]?.path ?? '')
  if (!/^checkpoints\/[^/]+$/.test(place)) return
  const folder = inside(project, place)
  for (const name of await readdir(folder))
    if (!kept.has(name)) await rm(join(folder, name), { recursive: true })
}

async function placeAll(project: ProjectFolder, store: ArtifactStore, files: readonly File[]): Promise<void> {
  for (const { blob, path } of files) {
    const target = isAbsolute(path) ? (await project.output(path, '')).path : inside(project.path, path)
    const found = await stat(target).catch(() => null)
    if (found?.size === blob.size_bytes && (await digestOfFile(target)) === blob.sha256) continue
    await copyInto(await store.open(blob), target)
  }
}

function inside(folder: string, path: string): string {
  const target = join(folder, path)
  if (target.startsWith(folder + sep)) return target
  throw new AppError('PATH_NOT_ALLOWED', 'the place of an output leaves the folder of the project')
}
