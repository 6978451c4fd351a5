import type { PhraseCode } from '../phrases/catalog.js'
import type { ErrorCode } from './errors.js'

/** Error of a system or a database that is caused by the machine and not by the program. */
export interface SystemFault {
  readonly code: ErrorCode
  /** Phrase of the fault for the message. */
  readonly what: PhraseCode
  /** Names of system errors, such as ENOSPC. */
  readonly system: readonly string[]
  /** Codes of SQLite, including the extended codes, and of PostgreSQL. */
  readonly database: RegExp | null
}

/** The only table that maps system error names to codes of the catalog. The service, the command line and the trainer read it. */
export const SYSTEM_FAULTS: readonly SystemFault[] = [
  {
    code: 'DISK_FULL',
    what: 'fault_no_space',
    system: ['ENOSPC', 'EDQUOT'],
    database: /^(SQLITE_FULL|53100)$/,
  },
  {
    code: 'STORAGE_DENIED',
    what: 'fault_denied',
    system: ['EACCES', 'EPERM'],
    database: /^(SQLITE_PERM|SQLITE_AUTH|42501)$/,
  },
  {
    code: 'STORAGE_DENIED',
    what: 'fault_read_only',
    system: ['EROFS'],
    database: /^(SQLITE_READONLY\w*|25006)$/,
  },
  {
    code: 'STORAGE_DENIED',
    what: 'fault_database_file',
    system: [],
    database: /^SQLITE_CANTOPEN\w*$/,
  },
  {
    code: 'DATABASE_DAMAGED',
    what: 'fault_database_damaged',
    system: [],
    database: /^(SQLITE_CORRUPT\w*|XX00[12])$/,
  },
  {
    code: 'DATABASE_DAMAGED',
    what: 'fault_not_a_database',
    system: [],
    database: /^SQLITE_NOTADB$/,
  },
  { code: 'PATH_TOO_LONG', what: 'fault_path_too_long', system: ['ENAMETOOLONG'], database: null },
  { code: 'TOO_MANY_FILES', what: 'fault_too_many_files', system: ['EMFILE', 'ENFILE'], database: null },
  {
    code: 'STORAGE_FAILED',
    what: 'fault_disk',
    system: ['EIO'],
    database: /^(SQLITE_IOERR\w*|58\w{3})$/,
  },
]

/** Fault with this name in a system or a database; undefined if it is not a fault of the machine. */
export function faultNamed(name: string): SystemFault | undefined {
  return SYSTEM_FAULTS.find(({ system, database }) => system.includes(name) || database?.test(name))
}
