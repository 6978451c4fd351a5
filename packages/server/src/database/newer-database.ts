import { existsSync } from 'node:fs'
import { MIGRATIONS } from './migrations/index.js'
import { openConnection } from './sqlite/open-connection.js'

/**
 * The step of a newer version of Medloom that a database file has seen; null where it has seen none, or does not exist. It is only read, also
 * while a service uses it.
 * @throws what the database says of a file that cannot be read.
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
