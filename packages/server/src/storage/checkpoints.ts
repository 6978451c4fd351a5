import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Checkpoint, CheckpointManifest } from '@medloom/contracts'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import { digestOfFile } from './digests.js'
import { MANIFEST } from './run-directory.js'

export type Manifest = z.infer<typeof CheckpointManifest>

/**
 * The checkpoints of a run: best, last, then by epoch. A folder without a readable manifest is not one: the manifest is
 * written last, so a checkpoint that has one is complete.
 */
export async function listCheckpoints(checkpointsFolder: string): Promise<Checkpoint[]> {
  const found: Checkpoint[] = []
  for (const name of await readFolder(checkpointsFolder)) {
    const path = join(checkpointsFolder, name)
    const manifest = await tryManifest(path)
    if (manifest) found.push(describe(name, path, manifest))
  }
  return found.sort((a, b) => rank(a) - rank(b) || a.epoch - b.epoch || (a.name < b.name ? -1 : 1))
}

/**
 * The manifest of a checkpoint folder.
 * @throws AppError CHECKPOINT_NOT_FOUND without a manifest, CHECKPOINT_CORRUPT when it cannot be parsed.
 */
export async function readManifest(folder: string): Promise<Manifest> {
  let text: string
  try {
    text = await readFile(join(folder, MANIFEST), 'utf8')
  } catch {
    throw new AppError('CHECKPOINT_NOT_FOUND', `the folder contains no ${MANIFEST}`)
  }
  let parsed: ReturnType<typeof CheckpointManifest.safeParse> | undefined
  try {
    parsed = CheckpointManifest.safeParse(JSON.parse(text))
  } catch {
    parsed = undefined
  }
  if (!parsed?.success) throw new AppError('CHECKPOINT_CORRUPT', `${MANIFEST} cannot be read`)
  return parsed.data
}

/**
 * Whether the folder still holds the checkpoint with these weights that it held at `keptAt`. Compares the size and the time of the
 * last change of each file, not its content.
 */
export async function isUnchanged(folder: string, weights: string, keptAt: number): Promise<boolean> {
  try {
    const { files } = await readManifest(folder)
    if ((files.model?.sha256 ?? '') !== weights) return false
    for (const { file, size_bytes } of Object.values(files)) {
      const found = await stat(join(folder, file))
      if (found.size !== size_bytes || Math.floor(found.mtimeMs) > keptAt) return false
    }
    return true
  } catch {
    return false
  }
}

/** Whether the folder holds a checkpoint all of whose files have the content that its manifest names. */
export async function isComplete(folder: string): Promise<boolean> {
  try {
    const { files } = await readManifest(folder)
    for (const { file, sha256 } of Object.values(files))
      if ((await digestOfFile(join(folder, file))) !== sha256) return false
    return true
  } catch {
    return false
  }
}

async function tryManifest(folder: string): Promise<Manifest | undefined> {
  try {
    return await readManifest(folder)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function describe(name: string, path: string, manifest: Manifest): Checkpoint {
  return {
    name,
    path,
    epoch: manifest.epoch,
    metrics: manifest.metrics,
    size_bytes: Object.values(manifest.files).reduce((sum, file) => sum + file.size_bytes, 0),
    created_at: manifest.created_at,
    digest: manifest.files.model?.sha256 ?? '',
  }
}

function rank(checkpoint: Checkpoint): number {
  return checkpoint.name === 'best' ? 0 : checkpoint.name === 'last' ? 1 : 2
}

async function readFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
