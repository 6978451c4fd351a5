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
 * Writes the files of a result to the paths that it names, in the project or where the config of the node says, unless they are there
 * already. So a result from the cache, or from another workflow, leaves the same files as one that is computed.
 * Undefined when there are none. @throws AppError PATH_NOT_ALLOWED when a path may no longer be written
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

/** Weights are named after their digest: without this, those of earlier runs would stay in the folder of a checkpoint. */
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
  throw new AppError('PATH_NOT_ALLOWED', 'the path of an output leaves the project folder')
}
