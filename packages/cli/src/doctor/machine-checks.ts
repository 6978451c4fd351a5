import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { type MedloomClient, MedloomError } from '@medloom/client/node'
import { READINESS_SECONDS } from '../durations.js'
import { bytes } from '../terminal/format.js'
import { type Check, fail, ok, warn } from './check.js'

/** Checks that a file can be created, synced and removed in the data folder, and that this version understands its database. */
export async function checkDataFolder(folder: string): Promise<Check> {
  const title = 'Data folder'
  try {
    mkdirSync(folder, { recursive: true })
    const probe = mkdtempSync(join(folder, '.doctor-'))
    writeFileSync(join(probe, 'probe'), 'x', { flush: true })
    rmSync(probe, { recursive: true })
    const { newerStepIn } = await import('@medloom/server')
    const newer = newerStepIn(join(folder, 'medloom.db'))
    if (newer === null) return ok('data_dir', title, folder)
    return fail(
      'data_dir',
      title,
      `its database was changed by a newer version of Medloom (step ${newer})`,
      'Start that version or a later one, or choose another folder with --data-dir.',
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(
      'data_dir',
      title,
      `cannot be used: ${reason}`,
      'Choose another folder with --data-dir, or change its permissions.',
    )
  }
}

/** Free bytes below which the check fails, and below which it warns. */
const MIN_FREE = 1e9
const WARN_FREE = 10e9

export function checkDisk(folder: string): Check {
  const title = 'Disk'
  const { bavail, bsize } = statfsSync(existingFolder(folder))
  const free = bavail * bsize
  const text = `${bytes(free)} free`
  if (free < MIN_FREE)
    return fail('disk', title, text, 'Free disk space: a training fails if the disk is full.')
  if (free < WARN_FREE) return warn('disk', title, text, 'Prepared images and checkpoints may need more.')
  return ok('disk', title, text)
}

function existingFolder(folder: string): string {
  try {
    statfsSync(folder)
    return folder
  } catch {
    return dirname(folder) === folder ? folder : existingFolder(dirname(folder))
  }
}

/** Checks that the service is ready, or that it is not running and its port is free. */
export async function checkService(client: MedloomClient): Promise<Check> {
  const title = 'Service'
  try {
    const ready = await client.getReady({}, { timeoutSeconds: READINESS_SECONDS })
    const broken = Object.entries(ready.checks).filter(([, check]) => !check.ok)
    if (broken.length === 0) return ok('service', title, `ready at ${client.baseUrl}`)
    const list = broken.map(([name, check]) => `${name}: ${check.message}`).join('; ')
    return fail(
      'service',
      title,
      `at ${client.baseUrl} is not ready: ${list}`,
      'Check the log in the data folder, then restart the service.',
    )
  } catch (error) {
    if (!(error instanceof MedloomError)) throw error
    if (error.http === 401)
      return warn('service', title, `at ${client.baseUrl} requires a token`, 'Set it with --token-file.')
    if (error.code !== 'UNREACHABLE')
      return fail(
        'service',
        title,
        `${error.message} [${error.code}]`,
        `Another program may be listening at ${client.baseUrl}; use another --port.`,
      )
    const { hostname, port } = new URL(client.baseUrl)
    if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
      return warn(
        'service',
        title,
        `no response from ${client.baseUrl}`,
        'Start the service there with "medloom serve".',
      )
    return (await canListen(hostname.replace(/^\[|\]$/g, ''), Number(port || 80)))
      ? ok('service', title, `not running; port ${port} is free. Start it with "medloom serve".`)
      : fail(
          'service',
          title,
          `port ${port} cannot be used`,
          'Choose another port: medloom serve --port 8123.',
        )
  }
}

function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
