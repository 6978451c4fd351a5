import { lstat, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { type JobFile, phrase, RUN_PATHS, runPath } from '@medloom/contracts'
import { AppError } from '../errors.js'
import type { Bytes } from '../http/bind.js'
import { isInside } from '../storage/is-inside.js'
import { nullIfMissing } from '../storage/null-if-missing.js'
import { fileResponse } from './file-response.js'
import { sharedResult } from './shared-result.js'

/**
 * The visible part of a run directory: results, without the files that the service and the trainer exchange. The file that identifies the
 * cases of a training is not visible.
 */
const SHOWN = [
  ...[RUN_PATHS.config, RUN_PATHS.reports, RUN_PATHS.artifacts, RUN_PATHS.evaluations],
  ...[RUN_PATHS.comparisons, RUN_PATHS.exports, 'metrics', 'logs', 'baselines'],
]
/** Weights are listed only on request, so that nobody downloads them by accident. */
const WEIGHTS = [RUN_PATHS.checkpoints]

export interface JobFileOptions {
  readonly checkpoints: boolean
}

/** The files of a run directory by path, or only those of a folder if one is named. Links are left out. */
export async function listJobFiles(
  run: string,
  under: string | undefined,
  options: JobFileOptions,
): Promise<JobFile[]> {
  const found: JobFile[] = []
  for (const name of shown(options)) await collect(run, name, found)
  const inside = under?.replace(/\/+$/, '')
  const chosen = inside === undefined ? found : found.filter(({ path }) => path.startsWith(`${inside}/`))
  return chosen.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * A file of a run directory, as a response in pieces.
 * @throws AppError RUN_FILE_NOT_FOUND for every path that is not visible, wherever it leads.
 */
export async function openJobFile(
  run: string,
  path: string,
  { download, ...options }: JobFileOptions & { readonly download: boolean },
): Promise<Bytes> {
  const found = await resolveShown(run, path, options)
  const name = path.slice(path.lastIndexOf('/') + 1)
  const response =
    found === null
      ? null
      : ((isEvaluation(found.path) ? await sharedResult(found.real, name) : null) ??
        (await fileResponse(found.real, name, download)))
  if (!response) throw new AppError('RUN_FILE_NOT_FOUND', phrase('run_file_unknown'))
  return response
}

/** Returns true if a file contains the result of an evaluation. path: from resolveShown. */
function isEvaluation(path: string): boolean {
  const [, evaluation_id = ''] = path.split('/')
  return [
    ...[RUN_PATHS.validation, RUN_PATHS.held_out],
    runPath('evaluation_result', { evaluation_id }),
  ].includes(path)
}

function shown({ checkpoints }: JobFileOptions): readonly string[] {
  return checkpoints ? [...SHOWN, ...WEIGHTS] : SHOWN
}

function isShown(path: string, options: JobFileOptions): boolean {
  return shown(options).some((name) => path === name || path.startsWith(`${name}/`))
}

interface ShownFile {
  readonly real: string
  /** Its path inside the run directory. A request may name the file by a link or, on some file systems, in letters of another case. */
  readonly path: string
}

/** Its real path, which must also be visible: a link inside a run directory gives no access to another part of it. */
async function resolveShown(run: string, path: string, options: JobFileOptions): Promise<ShownFile | null> {
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part.startsWith('.') || /[\\\0]/.test(part))) return null
  if (!isShown(path, options)) return null
  const [root, real] = [
    await nullIfMissing(realpath(run)),
    await nullIfMissing(realpath(join(run, ...parts))),
  ]
  if (root === null || real === null || !isInside([root], real)) return null
  const inside = relative(root, real).split(sep).join('/')
  return isShown(inside, options) ? { real, path: inside } : null
}

/** Every regular file at this path and below. Files that are removed meanwhile are left out. */
async function collect(run: string, path: string, found: JobFile[]): Promise<void> {
  const place = join(run, ...path.split('/'))
  const about = await nullIfMissing(lstat(place))
  if (about?.isFile()) found.push({ path, size_bytes: about.size, changed_at: about.mtime.toISOString() })
  if (!about?.isDirectory()) return
  for (const name of (await nullIfMissing(readdir(place))) ?? [])
    if (!name.startsWith('.')) await collect(run, `${path}/${name}`, found)
}
