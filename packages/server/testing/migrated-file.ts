import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openDatabase } from '../src/database/database.js'

/** One template for all files of a worker. */
let template: Promise<string> | undefined

/**
 * Creates an SQLite database with the current tables at `file`, unless it exists. It is a copy: migrating a new file waits for the disk
 * once per migration, which takes longer than most tests.
 * @returns `file`
 */
export async function migratedFile(file: string): Promise<string> {
  template ??= createTemplate()
  const source = await template
  if (existsSync(file)) return file
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  copyFileSync(source, file)
  return file
}

async function createTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'medloom.db')
  await (await openDatabase(file)).destroy()
  return file
}
