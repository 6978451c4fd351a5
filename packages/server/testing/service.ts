import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@medloom/contracts'
import { startService } from '../src/service.js'
import type { Settings } from '../src/settings.js'
import { migratedFile } from './migrated-file.js'

/** Settings of a complete service in a temporary folder, with a root next to its data folder, on a free port. */
export function testSettings(settings: Partial<Settings> = {}): Settings {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-service-')))
  const root = join(base, 'root')
  mkdirSync(root)
  return {
    host: '127.0.0.1',
    port: 0,
    dataDir: join(base, 'data'),
    roots: [root],
    outputRoot: null,
    tokenFile: null,
    auditDays: 365,
    python: join(base, 'no-python'),
    maxJobs: null,
    maxQueued: LIMITS.queued_jobs,
    prewarm: false,
    stopGraceSeconds: 5,
    cacheSeconds: 3600,
    workerMemory: null,
    imageCache: { bytes: 1024 ** 3 },
    logLevel: 'silent',
    ...settings,
  }
}

export async function startTestService(overrides: Partial<Settings> = {}) {
  const settings = testSettings(overrides)
  if (!settings.databaseUrl) await migratedFile(join(settings.dataDir, 'medloom.db'))
  const service = await startService(settings)
  return { ...service, settings, root: settings.roots[0] ?? '' }
}
