import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ownFolder } from './own-folder.js'

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'medloom-own-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(place, { recursive: true })
})
const modeOf = (path: string) => statSync(path).mode & 0o777

describe.skipIf(process.platform === 'win32')('the folder of the command line', () => {
  test('is private to this user', () => {
    expect(modeOf(ownFolder(join(place, 'further', 'medloom')))).toBe(0o700)
  })

  test('of an earlier version is made private', () => {
    const path = join(place, 'medloom')
    mkdirSync(path)
    chmodSync(path, 0o777)
    expect(modeOf(ownFolder(path))).toBe(0o700)
  })

  test('is refused if it is a link', () => {
    const path = join(place, 'medloom')
    symlinkSync(place, path)
    expect(() => ownFolder(path)).toThrow('is not a folder')
  })

  test('of another user is refused', () => {
    const path = join(place, 'medloom')
    mkdirSync(path)
    vi.spyOn(process as { geteuid: () => number }, 'geteuid').mockReturnValue(statSync(path).uid + 1)
    expect(() => ownFolder(path)).toThrow('belongs to user')
  })
})
