import { realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { atPlace, LIMITS, phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'
import { type Manifest, openCheckpoint } from '../storage/checkpoints.js'
import { isInside } from '../storage/is-inside.js'
import { refuseSpecial } from '../storage/regular-file.js'
import { type NamedRoot, nameRoots } from './named-roots.js'

/** Paths of requests, resolved inside the folders that requests may name. */
export interface Roots {
  /** Absolute, real paths. Relative paths are resolved against the first. */
  readonly folders: readonly string[]
  /** The same folders and the data folder with their names, for stored paths. */
  readonly named: readonly NamedRoot[]
  /**
   * The real, absolute path of an existing file or folder inside a root.
   * @param place dotted name of the field, for the message: data.train_csv.
   * @throws AppError PATH_NOT_ALLOWED or FILE_NOT_FOUND.
   */
  resolve(requested: string, place: string, kind?: PathKind): Promise<string>
  /**
   * A table of a training; run directories are also allowed, where workflows put the tables of their jobs.
   * @param kind dataset: the table that a recipe makes, of a file or a folder.
   */
  resolveTable(requested: string, place: string, kind?: 'table' | 'dataset'): Promise<string>
  /**
   * The folder of a checkpoint whose files are all inside the roots after links are resolved. The data folder of the service is also
   * allowed, because it contains checkpoints. @throws like `resolve` and `openCheckpoint`.
   */
  openCheckpoint(requested: string, place: string): Promise<{ path: string; manifest: Manifest }>
}
/** table: a file within the size limit for tables. dataset: such a file, or a folder. */
export type PathKind = 'file' | 'table' | 'dataset' | 'folder' | 'any'

export function createRoots(
  folders: readonly string[],
  dataDir: string,
  names: Readonly<Record<string, string>> = {},
): Roots {
  return {
    folders,
    named: nameRoots(folders, dataDir, names),
    resolve: (requested, place, kind = 'any') => resolveInside(folders, requested, place, kind),
    resolveTable: (requested, place, kind = 'table') =>
      resolveInside([...folders, join(dataDir, 'runs')], requested, place, kind),
    async openCheckpoint(requested, place) {
      const allowed = [...folders, dataDir]
      const path = await resolveInside(allowed, requested, place, 'folder')
      return { path, manifest: await openCheckpoint(path, allowed) }
    },
  }
}

/**
 * The real path decides, so that a symbolic link does not lead out. For a path that does not exist, the nearest existing folder decides, so
 * that the response for a path outside the roots does not reveal whether it exists.
 */
async function resolveInside(
  folders: readonly string[],
  requested: string,
  place: string,
  kind: PathKind,
): Promise<string> {
  if (requested.includes('\0')) throw new AppError('PATH_NOT_ALLOWED', atPlace(place, phrase('path_has_nul')))
  const [first] = folders
  if (first === undefined)
    throw new AppError('PATH_NOT_ALLOWED', atPlace(place, phrase('no_accessible_folder')))
  const written = resolve(first, requested)
  const { real, missing } = await nearestReal(written)
  if (!isInside(folders, real))
    throw new AppError('PATH_NOT_ALLOWED', atPlace(place, phrase('path_outside_folders')))
  if (missing) throw new AppError('FILE_NOT_FOUND', atPlace(place, phrase('path_not_readable')))
  const found = await stat(real)
  refuseSpecial(found, real, place)
  if ((kind === 'file' || kind === 'table') && !found.isFile())
    throw new AppError(
      'FILE_NOT_FOUND',
      atPlace(place, phrase('path_not_a_file')),
      phrase('use_path_of_file'),
    )
  if (kind === 'folder' && !found.isDirectory())
    throw new AppError(
      'FILE_NOT_FOUND',
      atPlace(place, phrase('path_not_a_folder')),
      phrase('use_path_of_folder'),
    )
  if ((kind === 'table' || kind === 'dataset') && found.isFile() && found.size > LIMITS.table_bytes)
    throw new AppError(
      'TABLE_TOO_LARGE',
      atPlace(
        place,
        phrase('table_above_limit', { size: inWords(found.size), limit: inWords(LIMITS.table_bytes) }),
      ),
    )
  return real
}

async function nearestReal(path: string): Promise<{ real: string; missing: boolean }> {
  for (let current = path; ; current = dirname(current)) {
    try {
      return { real: await realpath(current), missing: current !== path }
    } catch (error) {
      if (current === dirname(current)) throw error
    }
  }
}

function inWords(bytes: number): string {
  return bytes.toLocaleString('en-US')
}
