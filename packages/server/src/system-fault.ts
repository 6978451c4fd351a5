import { relative, sep } from 'node:path'
import {
  after,
  atPlace,
  type ErrorCode,
  faultNamed,
  phrase,
  type Text,
  textOf,
  type Wording,
} from '@medloom/contracts'
import { AppError, StartError } from './errors.js'

/** Faults of the machine that affect more than one job or request, and end when the machine is repaired. */
export const MACHINE_FAULTS: ReadonlySet<string> = new Set<ErrorCode>([
  'DISK_FULL',
  'STORAGE_FAILED',
  'STORAGE_DENIED',
  'DATA_FOLDER_MISSING',
  'DATABASE_DAMAGED',
  'TOO_MANY_FILES',
])

/** Folder → its name in messages. */
const titles = new Map<string, string>()

/** From here on, messages name files in the folder by their path in it. */
export function nameFolder(folder: string, title: string): void {
  titles.set(folder, title)
}

/**
 * The fault of the machine, with the text of the catalog: the file, if it is in a named folder, and the remedy. Null if the error is not
 * such a fault, such as a defect, or if a process could not be started.
 */
export function systemFault(error: unknown): AppError | null {
  if (error instanceof AppError) return MACHINE_FAULTS.has(error.code) ? error : null
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code: name = '', path, syscall = '' } = cause as NodeJS.ErrnoException
    const fault = faultNamed(name)
    if (!fault || /^(spawn|listen|connect|kill)/.test(syscall)) continue
    const message = phrase('in_brackets', { text: [{ code: fault.what }], more: name })
    if (path !== undefined) return new AppError(fault.code, inPlace(path, message))
    const ofDatabase = fault.database?.test(name) && fault.system.length > 0
    return new AppError(fault.code, ofDatabase ? [phrase('the_database'), after('colon', message)] : message)
  }
  return null
}

/** The message, preceded by the file if that is in a named folder. */
export function inPlace(path: string, message: Wording): Text {
  const place = placeOf(path)
  return place === null ? textOf(message) : atPlace(place, message)
}

/** The error with its file: errors of writes to an open file name none. */
export function ofFile(error: unknown, path: string): unknown {
  return error instanceof Error ? Object.assign(error, { path }) : error
}

/** The data folder in errors of the start. */
const DATA_FOLDER = { title: 'the data folder', flag: '--data-dir' }
/** The output folder in errors of the start. */
export const OUTPUT_FOLDER = { title: 'the output folder', flag: '--output-root' }

/** The reason why the service cannot start on a folder, if it is a fault of the machine; other errors are returned unchanged. */
export function startFault(error: unknown, folder: string, { title, flag } = DATA_FOLDER): unknown {
  const fault = error instanceof StartError ? null : systemFault(error)
  if (!fault) return error
  const { message } = error as Error
  return new StartError(
    `${title} ${folder} cannot be used: ${fault.code}, ${message}`,
    `${fault.details} Or choose another folder with ${flag}.`,
  )
}

/** "runs/1/config.yaml in the data folder"; null if it is not in a named folder. */
function placeOf(path: string): string | null {
  const around = [...titles]
    .filter(([folder]) => path === folder || path.startsWith(folder + sep))
    .sort(([a], [b]) => b.length - a.length)
  const [nearest] = around
  if (!nearest) return null
  const [folder, title] = nearest
  return path === folder ? title : `${relative(folder, path).split(sep).join('/')} in ${title}`
}
