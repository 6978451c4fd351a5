import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { DatabaseError } from './database/database-error.js'
import { AppError, StartError } from './errors.js'
import { nameFolder, startFault, systemFault } from './system-fault.js'

const DATA = '/fault-test/data'
beforeAll(() => {
  nameFolder(DATA, 'the data folder')
  nameFolder(join(DATA, 'uploads'), 'the root uploads')
})

const failing = (code: string, facts: object = {}) =>
  Object.assign(new Error(`${code}: it failed`), { code, ...facts })

test.each([
  ['DISK_FULL', ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100']],
  ['STORAGE_DENIED', ['EACCES', 'EPERM', 'EROFS', 'SQLITE_READONLY_DBMOVED', 'SQLITE_CANTOPEN', '25006']],
  ['DATABASE_DAMAGED', ['SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB', 'XX001']],
  ['PATH_TOO_LONG', ['ENAMETOOLONG']],
  ['TOO_MANY_FILES', ['EMFILE', 'ENFILE']],
  ['STORAGE_FAILED', ['EIO', 'SQLITE_IOERR_WRITE', '58030']],
])('%s is the fault for the system errors %s', (code, names) => {
  for (const name of names) {
    expect(systemFault(failing(name))).toMatchObject({ code, message: expect.stringContaining(name) })
    expect(systemFault(new DatabaseError('it failed', 'other', name))).toMatchObject({ code })
  }
})

test('it names the file by its path in the nearest named folder, and no other file', () => {
  const messageOf = (path: string) => systemFault(failing('EACCES', { path }))?.message
  expect(messageOf(join(DATA, 'runs/a/config.yaml'))).toMatch(/^runs\/a\/config\.yaml in the data folder: /)
  expect(messageOf(join(DATA, 'uploads/a.csv'))).toMatch(/^a\.csv in the root uploads: /)
  expect(messageOf(DATA)).toMatch(/^the data folder: /)
  expect(messageOf('/fault-test/database/a')).not.toContain('/')
})

test('a fault of the database names the database, once', () => {
  const messageOf = (code: string) => systemFault(new DatabaseError('it failed', 'other', code))?.message
  expect(messageOf('SQLITE_FULL')).toBe('the database: no space is left (SQLITE_FULL)')
  expect(messageOf('53100')).toBe('the database: no space is left (53100)')
  expect(messageOf('SQLITE_CORRUPT')).toBe('the database is damaged (SQLITE_CORRUPT)')
})

test('it is found as the cause of an error; a defect and a program that cannot be started are not faults', () => {
  expect(systemFault(new Error('outer', { cause: failing('EIO') }))).toMatchObject({ code: 'STORAGE_FAILED' })
  expect(systemFault(new AppError('DATA_FOLDER_MISSING', { english: 'gone' }))).toMatchObject({
    message: 'gone',
  })
  expect(systemFault(failing('EACCES', { syscall: 'spawn python' }))).toBeNull()
  expect(systemFault(failing('ENOENT'))).toBeNull()
  expect(systemFault(new TypeError('a defect'))).toBeNull()
})

test('a start that it prevents is refused with the folder and a remedy; other errors are unchanged', () => {
  expect(startFault(failing('ENOSPC'), DATA)).toMatchObject({
    name: 'StartError',
    message: expect.stringContaining(`the data folder ${DATA} cannot be used: DISK_FULL`),
    remedy: expect.stringContaining('Free disk space'),
  })
  const others = [new TypeError('a defect'), new StartError('a', 'b')]
  for (const error of others) expect(startFault(error, DATA)).toBe(error)
})
