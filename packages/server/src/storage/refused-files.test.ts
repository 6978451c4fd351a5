import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { refuse, refuseNothing } from '../../testing/refused-files.js'
import { metricsIn } from '../studies/held-out-metrics.js'
import { unlessAbsent, unlessUnreadable } from './absent.js'
import { isComplete, listCheckpoints, readManifest, verifyCheckpoint } from './checkpoints.js'
import { openDataFolder } from './data-folder.js'
import { writeTextAtomically } from './files.js'
import { removePartialFiles } from './partial-files.js'
import { RunDirectory } from './run-directory.js'
import { nameFolder, systemFault } from './system-fault.js'

vi.mock('node:fs/promises', async (original) =>
  (await import('../../testing/refused-files.js')).refusing(await original<object>()),
)

let base: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-refused-')))
  nameFolder(base, 'the data folder')
})
afterEach(() => {
  refuseNothing()
  rmSync(base, { recursive: true })
})

/** A run with one complete checkpoint. */
function runWithCheckpoint(): RunDirectory {
  const run = new RunDirectory(join(base, 'run'))
  const checkpoint = run.checkpoint('best')
  mkdirSync(checkpoint, { recursive: true })
  writeFileSync(join(checkpoint, 'model.1.1.0.safetensors'), '')
  const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  const model = { file: 'model.1.1.0.safetensors', sha256, size_bytes: 0 }
  const facts = { schema_version: 1, job_id: '8b8a3a0e-3f0c-4c6b-9a43-0d8a9f8c1c11', attempt: 1, epoch: 3 }
  const manifest = { ...facts, created_at: '2026-01-02T03:04:05.000Z', metrics: {}, files: { model } }
  writeFileSync(join(checkpoint, 'checkpoint.json'), JSON.stringify(manifest))
  return run
}

test('a checkpoint that may not be read is neither absent nor damaged nor partial', async () => {
  const run = runWithCheckpoint()
  const checkpoint = run.checkpoint('best')
  expect(await isComplete(checkpoint)).toBe(true)
  const denied = {
    code: 'STORAGE_DENIED',
    message: expect.stringContaining('run/checkpoints/best/checkpoint.json'),
  }
  refuse(join(checkpoint, 'checkpoint.json'), 'EACCES')
  await expect(readManifest(checkpoint)).rejects.toMatchObject(denied)
  await expect(isComplete(checkpoint)).rejects.toMatchObject(denied)
  await expect(listCheckpoints(run.checkpoints, { size: 1 })).rejects.toMatchObject(denied)
  await removePartialFiles(run)
  refuseNothing()
  expect(await isComplete(checkpoint)).toBe(true)
  refuse(join(checkpoint, 'model.1.1.0.safetensors'), 'EIO')
  expect(await verifyCheckpoint(checkpoint).catch(systemFault)).toMatchObject({ code: 'STORAGE_FAILED' })
})

test('metrics that may not be read are an error, those of no file are none', async () => {
  const file = join(base, 'validation.json')
  expect(await metricsIn(file)).toBeNull()
  writeFileSync(file, '{}')
  expect(await metricsIn(file)).toBeNull()
  refuse(file, 'EACCES')
  await expect(metricsIn(file)).rejects.toMatchObject({ code: 'STORAGE_DENIED' })
})

test('a file that may not be read counts as absent only where a user named it', async () => {
  const denied = () => Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }))
  await expect(unlessAbsent(denied())).rejects.toThrow('denied')
  expect(await unlessUnreadable(denied())).toBeNull()
})

test('an error of a write names the file that was to be written', async () => {
  mkdirSync(join(base, 'results.json'))
  const error = await writeTextAtomically(join(base, 'results.json'), 'text').catch((thrown) => thrown)
  expect(error).toMatchObject({ path: join(base, 'results.json') })
})

test('a data folder in which no run can be made is not writable', async () => {
  const folder = await openDataFolder(join(base, 'data'))
  await folder.confirmWritable()
  refuse(join(folder.path, 'runs'), 'EROFS')
  expect(await folder.confirmWritable().catch(systemFault)).toMatchObject({ code: 'STORAGE_DENIED' })
  await folder.close()
})
