import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Checkpoint, CheckpointManifest, CheckpointState, type Phrase, phrase } from '@medloom/contracts'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import { systemFault } from '../system-fault.js'
import { digestOfFile } from './digests.js'
import { isInside } from './is-inside.js'
import { nullIfMissing } from './null-if-missing.js'
import { openRegular } from './regular-file.js'
import { MANIFEST } from './run-directory.js'

export type Manifest = z.infer<typeof CheckpointManifest>

export interface CheckpointList {
  readonly checkpoints: Checkpoint[]
  /** Number of checkpoint folders. A checkpoint that is being written counts, though it is not listed yet. */
  readonly total: number
}

/**
 * Checkpoints of a run: best, last, then by epoch. Reads only the manifests of this part of the list. A folder without a readable manifest
 * is left out: the manifest is written last, so a checkpoint that has one is complete.
 */
export async function listCheckpoints(
  checkpointsFolder: string,
  { offset = 0, size }: { readonly offset?: number; readonly size: number },
): Promise<CheckpointList> {
  const names = ((await nullIfMissing(readdir(checkpointsFolder))) ?? []).sort(inOrder)
  const checkpoints: Checkpoint[] = []
  for (const name of names.slice(offset, offset + size)) {
    const path = join(checkpointsFolder, name)
    const manifest = await nullIfUnusable(readManifest(path))
    if (manifest) checkpoints.push(describe(name, path, manifest))
  }
  return { checkpoints, total: names.length }
}

/** As `listCheckpoints`, for a list of several runs: one that cannot be read at the moment has no checkpoints and the fault. */
export async function findCheckpoints(
  checkpointsFolder: string,
  size: number,
): Promise<CheckpointList & { readonly fault: AppError | null }> {
  try {
    return { ...(await listCheckpoints(checkpointsFolder, { size })), fault: null }
  } catch (error) {
    const fault = systemFault(error)
    if (!fault) throw error
    return { checkpoints: [], total: 0, fault }
  }
}

/**
 * The manifest of a checkpoint folder, or of one in preparation.
 * @throws AppError CHECKPOINT_NOT_FOUND without a manifest, CHECKPOINT_CORRUPT when it cannot be parsed.
 */
export async function readManifest(folder: string, name = MANIFEST): Promise<Manifest> {
  let text: string
  try {
    const file = await openRegular(join(folder, name))
    text = await file.readFile('utf8').finally(() => file.close())
  } catch (error) {
    throw (
      systemFault(error) ??
      new AppError('CHECKPOINT_NOT_FOUND', phrase('folder_without_manifest', { file: MANIFEST }))
    )
  }
  let parsed: ReturnType<typeof CheckpointManifest.safeParse> | undefined
  try {
    parsed = CheckpointManifest.safeParse(JSON.parse(text))
  } catch {
    parsed = undefined
  }
  if (!parsed?.success)
    throw new AppError('CHECKPOINT_CORRUPT', phrase('file_not_readable', { file: MANIFEST }))
  return parsed.data
}

/** Digest of the weights of a checkpoint folder. @throws AppError CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT */
export async function weightsDigest(folder: string): Promise<string> {
  const { files } = await readManifest(folder)
  return files.model?.sha256 ?? ''
}

/** The training state of a checkpoint's model. The caller has verified the checkpoint. @throws AppError CHECKPOINT_CORRUPT */
export async function readState(folder: string, { files }: Manifest): Promise<CheckpointState> {
  if (!files.state) throw corrupt(folder, 'state', phrase('is_missing'))
  const file = await openRegular(join(folder, files.state.file))
  return parseState(await file.readFile('utf8').finally(() => file.close()))
}

/** Parses the part `state` of a checkpoint. @throws AppError CHECKPOINT_CORRUPT */
export function parseState(text: string): CheckpointState {
  try {
    return CheckpointState.parse(JSON.parse(text))
  } catch {
    throw new AppError('CHECKPOINT_CORRUPT', phrase('checkpoint_state_unreadable'))
  }
}

/**
 * Returns true if the folder still contains the checkpoint with these weights from `keptAt`. Compares the size and the time of the last
 * change of each file, not its content.
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

/**
 * The manifest of a checkpoint whose files exist in its folder or inside `folders`, after links are resolved. Does not read the files:
 * `verifyCheckpoint` does. @throws AppError like `readManifest`, CHECKPOINT_CORRUPT, PATH_NOT_ALLOWED
 */
export async function openCheckpoint(folder: string, folders: readonly string[] = []): Promise<Manifest> {
  const allowed = [await realpath(folder).catch(() => folder), ...folders]
  await refuseForeign(folder, MANIFEST, allowed)
  const manifest = await readManifest(folder)
  for (const [part, { file, size_bytes }] of Object.entries(manifest.files)) {
    if (basename(file) !== file) throw corrupt(folder, part, phrase('has_path_outside'))
    await refuseForeign(folder, file, allowed)
    const found = await nullIfMissing(stat(join(folder, file)))
    if (!found?.isFile()) throw corrupt(folder, part, phrase('is_missing'))
    if (found.size !== size_bytes)
      throw corrupt(folder, part, phrase('has_other_size', { found: found.size, size: size_bytes }))
  }
  return manifest
}

/** Like `openCheckpoint`, and every file has the content that the manifest names. Reads in pieces, so that the service stays responsive. */
export async function verifyCheckpoint(folder: string, folders: readonly string[] = []): Promise<Manifest> {
  const manifest = await openCheckpoint(folder, folders)
  for (const [part, { file, sha256 }] of Object.entries(manifest.files))
    if ((await nullIfMissing(digestOfFile(join(folder, file)))) !== sha256)
      throw corrupt(folder, part, phrase('differs_from_manifest'))
  return manifest
}

/** Returns true if all files of the checkpoint in the folder have the content that its manifest names. */
export async function isComplete(folder: string): Promise<boolean> {
  return (await nullIfUnusable(verifyCheckpoint(folder))) !== null
}

/** null for a missing or damaged checkpoint. If it cannot be read at the moment, it may be complete: the error is thrown. */
export async function nullIfUnusable(manifest: Promise<Manifest>): Promise<Manifest | null> {
  try {
    return await manifest
  } catch (error) {
    const fault = systemFault(error)
    if (fault) throw fault
    return null
  }
}

/** A missing file is reported by its reader. */
async function refuseForeign(folder: string, file: string, allowed: readonly string[]): Promise<void> {
  const real = await nullIfMissing(realpath(join(folder, file)))
  if (real !== null && !isInside(allowed, real))
    throw new AppError(
      'PATH_NOT_ALLOWED',
      phrase('checkpoint_links_out', { file, checkpoint: basename(folder) }),
      phrase('replace_link'),
    )
}

function corrupt(folder: string, part: string, what: Phrase): AppError {
  return new AppError(
    'CHECKPOINT_CORRUPT',
    phrase('part_of_checkpoint', { part, checkpoint: basename(folder), what: [what] }),
  )
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

function inOrder(one: string, other: string): number {
  return rank(one) - rank(other) || epochIn(one) - epochIn(other) || (one < other ? -1 : 1)
}

function rank(name: string): number {
  return name === 'best' ? 0 : name === 'last' ? 1 : 2
}

function epochIn(name: string): number {
  return Number(/^epoch-(\d+)$/.exec(name)?.[1] ?? Number.MAX_SAFE_INTEGER)
}
