import { existsSync } from 'node:fs'
import { MIGRATIONS } from './migrations/index.js'
import { openConnection } from './sqlite/open-connection.js'

/**
 * Name of the step of a newer version of Medloom that was applied to a database file; null if there is none or the file does not exist. The
 * file is only read, even while a service uses it.
 * @throws the error of the database for a file that cannot be read.
 */
export function newerStepIn(file: string): string | null {
  if (!existsSync(file)) return null
  const connection = openConnection(file, { readonly: true })
  try {
    const tables = connection.prepare("SELECT name FROM sqlite_master WHERE name = 'migrations'").all()
    if (tables.length === 0) return null
    const steps = connection.prepare('SELECT name FROM migrations').all() as { readonly name: string }[]
    return steps.find((step) => !MIGRATIONS.some(({ name }) => name === step.name))?.name ?? null
  } finally {
    connection.close()
  }
}
