import { realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { AppError } from '../errors.js'
import { type NamedRoot, nameRoots } from './named-roots.js'

/** Paths of requests, resolved inside the folders that requests may name. */
export interface Roots {
  /** Absolute, real. Relative paths start at the first. */
  readonly folders: readonly string[]
  /** The same folders and the data folder by name, for paths that are stored. */
  readonly named: readonly NamedRoot[]
  /**
   * The real, absolute path of something that exists inside a root.
   * @param place dotted name of the field, for the message: data.train_csv.
   * @throws AppError PATH_NOT_ALLOWED or FILE_NOT_FOUND.
   */
  resolve(requested: string, place: string, kind?: PathKind): Promise<string>
  /** A table of a training; run directories are allowed too, where workflows put the tables of their jobs. */
  resolveTable(requested: string, place: string): Promise<string>
  /** A folder; the data folder of the service is allowed too: checkpoints live there. */
  resolveCheckpoint(requested: string, place: string): Promise<string>
}
export type PathKind = 'file' | 'folder' | 'any'

export function createRoots(
  folders: readonly string[],
  dataDir: string,
  names: Readonly<Record<string, string>> = {},
): Roots {
  return {
    folders,
    named: nameRoots(folders, dataDir, names),
    resolve: (requested, place, kind = 'any') => resolveInside(folders, requested, place, kind),
    resolveTable: (requested, place) =>
      resolveInside([...folders, join(dataDir, 'runs')], requested, place, 'file'),
    resolveCheckpoint: (requested, place) => resolveInside([...folders, dataDir], requested, place, 'folder'),
  }
}

/**
 * The real path decides, so that a symbolic link does not lead out. For a path that does not exist the nearest existing folder
 * decides, so that the response for a path outside the roots does not tell whether it exists.
 */
async function resolveInside(
  folders: readonly string[],
  requested: string,
  place: string,
  kind: PathKind,
): Promise<string> {
  if (requested.includes('\0')) throw new AppError('PATH_NOT_ALLOWED', `${place}: the path contains a NUL`)
  const [first] = folders
  if (first === undefined)
    throw new AppError('PATH_NOT_ALLOWED', `${place}: the service has no folder that requests may name`)
  const written = resolve(first, requested)
  const { real, missing } = await nearestReal(written)
  if (!isInside(folders, real))
    throw new AppError('PATH_NOT_ALLOWED', `${place}: the path is outside the folders that requests may name`)
  if (missing) throw new AppError('FILE_NOT_FOUND', `${place}: the file does not exist or cannot be read`)
  const found = await stat(real)
  if (kind === 'file' && !found.isFile())
    throw new AppError('FILE_NOT_FOUND', `${place}: this is not a file`, 'Name a file.')
  if (kind === 'folder' && !found.isDirectory())
    throw new AppError('FILE_NOT_FOUND', `${place}: this is not a folder`, 'Name a folder.')
  if (!found.isFile() && !found.isDirectory())
    throw new AppError('FILE_NOT_FOUND', `${place}: this is neither a file nor a folder`)
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

/** The separator matters: /data/patients-old is not inside /data/patients. */
export function isInside(folders: readonly string[], path: string): boolean {
  return folders.some(
    (folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep),
  )
}
