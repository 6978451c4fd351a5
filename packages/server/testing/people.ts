import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Database, openDatabase } from '../src/database/database.js'
import type { Registrant } from '../src/datasets/datasets.repository.js'
import { createPeople, type People } from '../src/people/index.js'
import { migratedFile } from './migrated-file.js'
import { testSettings } from './service.js'

/** Users, tokens and audit log of a service with this database. */
export function peopleOf(database: Database, serviceToken: string | null = null): People {
  const log = pino({ level: 'silent' })
  const settings = testSettings()
  return createPeople(
    { database, log, settings, folder: { incoming: join(settings.dataDir, 'incoming') } },
    { serviceToken, quotasChanged: () => undefined },
  )
}

/** The same with a separate database. */
export async function openPeople(
  serviceToken: string | null,
): Promise<People & { destroy(): Promise<void> }> {
  const file = join(mkdtempSync(join(tmpdir(), 'medloom-people-')), 'medloom.db')
  const database = await openDatabase(await migratedFile(file))
  const people = peopleOf(database, serviceToken)
  const destroy = async () => {
    people.close()
    await database.destroy()
  }
  return { ...people, destroy }
}

/** Registers datasets without an owner, and may replace every registration. */
export const ANYONE: Registrant = { owner: null, mayReplace: () => undefined }
