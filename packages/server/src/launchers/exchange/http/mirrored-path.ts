import { join } from 'node:path'
import { MIRRORED_PATHS, phrase, RUN_PATHS } from '@medloom/contracts'
import { AppError } from '../../../errors.js'
import type { RunDirectory } from '../../../storage/run-directory.js'

const PART = /^(?!\.)[\w.-]{1,200}$/
const MOST_PARTS = 8

/**
 * Path in the run directory for a file that a node sends: only files that its trainer writes are accepted.
 * @param path relative to the run directory, with / between its parts
 * @throws AppError PATH_NOT_ALLOWED
 */
export function mirroredPath(run: RunDirectory, attempt: number, path: string): string {
  const parts = path.split('/')
  const allowed = MIRRORED_PATHS.map((name) => RUN_PATHS[name].replace('{attempt}', String(attempt)))
  const isOurs = allowed.some((known) => path === known || path.startsWith(`${known}/`))
  if (!isOurs || parts.length > MOST_PARTS || !parts.every((part) => PART.test(part)))
    throw new AppError('PATH_NOT_ALLOWED', phrase('node_may_not_write'), phrase('send_trainer_files'))
  return join(run.path, ...parts)
}
