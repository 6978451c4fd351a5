import { readdir, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { RUN_PATHS } from '@medloom/contracts'
import { forEachLimit } from '../concurrency/for-each-limit.js'
import { AppError } from '../errors.js'
import { type Manifest, readManifest } from './checkpoints.js'
import { nullIfMissing } from './null-if-missing.js'
import { RunDirectory } from './run-directory.js'

/** Number of folders that are examined in parallel. */
const MAX_FOLDERS = 16
/** Parts have their digest in their name; before that, they have a temporary name that begins with a dot. */
const PART = /^(\.\w+\.[\w.-]+|\w+\.[0-9a-f]{16}\.(safetensors|json))$/
/** Files that the trainer or the service writes next to their target and renames. */
const TEMPORARY = /^\..+\.(json|jsonl|csv|safetensors|bin|yaml)\.(\w+|[0-9a-f]{12}\.tmp)$/
/** Folders of a run with the large events of one attempt. */
const EVENTS = /^events\.\d+$/

/**
 * Remove partial files that a killed trainer has left in its run: parts of checkpoints that no manifest names, and temporary files of its
 * other results. Nothing writes to the run any more.
 */
export async function removePartialFiles(run: RunDirectory): Promise<void> {
  const baselines = join(run.path, RUN_PATHS.baselines)
  const names = await foldersIn(baselines)
  for (const { path, checkpoints } of [
    run,
    ...names.map((name) => new RunDirectory(join(baselines, name))),
  ]) {
    const events = (await foldersIn(path)).filter((name) => EVENTS.test(name))
    for (const folder of [path, ...[RUN_PATHS.metrics_folder, ...events].map((name) => join(path, name))])
      await removeNamed(folder, (name) => TEMPORARY.test(name))
    await forEachLimit(MAX_FOLDERS, await foldersIn(checkpoints), (name) => sweep(join(checkpoints, name)))
  }
}

/** A checkpoint with a damaged manifest is not changed: a user may recover data from it. */
async function sweep(folder: string): Promise<void> {
  const manifest = await manifestIn(folder)
  if (manifest === 'damaged') return
  const named = new Set(Object.values(manifest?.files ?? {}).map(({ file }) => file))
  await removeNamed(folder, (name) => PART.test(name) && !named.has(name))
  // Fails if other files remain in it.
  if (!manifest) await rmdir(folder).catch(() => undefined)
}

async function manifestIn(folder: string): Promise<Manifest | 'damaged' | null> {
  try {
    return await readManifest(folder)
  } catch (error) {
    const isAbsent = error instanceof AppError && error.code === 'CHECKPOINT_NOT_FOUND'
    return isAbsent && !(await readdir(folder)).includes(basename(RUN_PATHS.manifest)) ? null : 'damaged'
  }
}

async function removeNamed(folder: string, isPartial: (name: string) => boolean): Promise<void> {
  const entries = (await nullIfMissing(readdir(folder, { withFileTypes: true }))) ?? []
  for (const entry of entries)
    if (entry.isFile() && isPartial(entry.name)) await rm(join(folder, entry.name), { force: true })
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = (await nullIfMissing(readdir(folder, { withFileTypes: true }))) ?? []
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}
