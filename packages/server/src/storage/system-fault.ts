import { relative, sep } from 'node:path'
import { ERRORS, type ErrorCode } from '@medloom/contracts'
import { AppError, StartError } from '../errors.js'

/** How the system, SQLite and PostgreSQL name what is wrong with the machine, and what that is called here. */
const FAULTS: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL|53100)$/, 'DISK_FULL', 'no space is left'],
  [/^(EACCES|EPERM|SQLITE_PERM|SQLITE_AUTH|42501)$/, 'STORAGE_DENIED', 'the system denies access'],
  [/^(EROFS|SQLITE_READONLY\w*|25006)$/, 'STORAGE_DENIED', 'writing is not possible'],
  [/^SQLITE_CANTOPEN\w*$/, 'STORAGE_DENIED', 'the file of the database cannot be opened'],
  [/^(SQLITE_CORRUPT\w*|XX00[12])$/, 'DATABASE_DAMAGED', 'the database is damaged'],
  [/^SQLITE_NOTADB$/, 'DATABASE_DAMAGED', 'the file is not a database'],
  [/^ENAMETOOLONG$/, 'PATH_TOO_LONG', 'the path is too long'],
  [/^(EMFILE|ENFILE)$/, 'TOO_MANY_FILES', 'too many files are open'],
  [/^(EIO|SQLITE_IOERR\w*|58\w{3})$/, 'STORAGE_FAILED', 'the disk or its file system failed'],
]

/** Faults of the machine that keep more than one job or request from being carried out, and pass when somebody repairs it. */
export const MACHINE_FAULTS: ReadonlySet<string> = new Set<ErrorCode>([
  'DISK_FULL',
  'STORAGE_FAILED',
  'STORAGE_DENIED',
  'DATA_FOLDER_MISSING',
  'DATABASE_DAMAGED',
  'TOO_MANY_FILES',
])

/** Folder → what messages call it. */
const titles = new Map<string, string>()

/** From here on, messages name files in the folder by their place in it. */
export function nameFolder(folder: string, title: string): void {
  titles.set(folder, title)
}

/**
 * What is wrong with the machine, in the words of the catalog: which file, as far as it is in a folder with a name, and what to do. Null
 * where the error is none of those, such as a defect, or where a process could not be started.
 */
export function systemFault(error: unknown): AppError | null {
  if (error instanceof AppError) return MACHINE_FAULTS.has(error.code) ? error : null
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code: name = '', path, syscall = '' } = cause as NodeJS.ErrnoException
    const [, code, what] = FAULTS.find(([names]) => names.test(name)) ?? []
    if (!code || /^(spawn|listen|connect|kill)/.test(syscall)) continue
    const place = path === undefined ? null : placeOf(path)
    return new AppError(code, `${place ? `${place}: ` : ''}${what} (${name})`, ERRORS[code].remedy)
  }
  return null
}

/** Why the service cannot start on a folder, where the machine is at fault; other errors as they are. */
export function startFault(error: unknown, folder: string): unknown {
  const fault = error instanceof StartError ? null : systemFault(error)
  if (!fault) return error
  const { message } = error as Error
  return new StartError(
    `the data folder ${folder} cannot be used: ${fault.code}, ${message}`,
    `${fault.details} Or choose another folder with --data-dir.`,
  )
}

/** "runs/1/config.yaml in the data folder"; null where it is in no folder with a name. */
function placeOf(path: string): string | null {
  const around = [...titles]
    .filter(([folder]) => path === folder || path.startsWith(folder + sep))
    .sort(([a], [b]) => b.length - a.length)
  const [nearest] = around
  if (!nearest) return null
  const [folder, title] = nearest
  return path === folder ? title : `${relative(folder, path).split(sep).join('/')} in ${title}`
}
