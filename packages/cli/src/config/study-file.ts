import { resolve } from 'node:path'
import type { ErrorIssue } from '@medloom/contracts'
import { UsageError } from '../exit-codes.js'
import {
  applySetting,
  folderOf,
  isObject,
  ofItsVersion,
  readConfigFile,
  readDocument,
  resolvePaths,
} from './config-file.js'

type Json = Record<string, unknown>

export interface StudyFile {
  readonly study: Json
  /** "file:line" of a key, for messages; null when the key is not in a file. */
  readonly placeOf: (issue: Pick<ErrorIssue, 'path'>) => string | null
}

/**
 * A study from a YAML or JSON file, overridden by `--set a.b=value`. Its `config` is a training configuration, or the path of a file that
 * contains one. Relative paths are resolved against the folder of the file that contains them, those of `--set` against the current folder;
 * `keepPaths` leaves them to the service.
 */
export function readStudyFile(
  file: string,
  settings: readonly string[],
  { keepPaths = false } = {},
): StudyFile {
  const { content, placeOf } = readDocument(file)
  if (!isObject(content))
    throw new UsageError(
      `${file} does not contain a study.`,
      'A study has a training configuration, or the path of one, under "config".',
    )
  const base = folderOf(file)
  const study: Json = { ...content }
  const named =
    typeof study.config === 'string' ? readConfigFile(resolve(base, study.config), [], { keepPaths }) : null
  if (named) study.config = named.config
  else if (isObject(study.config)) {
    const config = ofItsVersion(study.config, file)
    study.config = config
    if (!keepPaths) resolvePaths(config, base)
  }
  if (Array.isArray(study.variants) && !keepPaths)
    for (const variant of study.variants)
      if (isObject(variant) && isObject(variant.config)) resolvePaths(variant.config, base)
  for (const setting of settings) applySetting(study, setting, keepPaths)
  return {
    study,
    placeOf: ({ path }) => (named && path.startsWith('config.') ? named.placeOf({ path }) : placeOf(path)),
  }
}
