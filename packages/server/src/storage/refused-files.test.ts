import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { RunDirectory as Run } from './run-directory.js'

// Modules of other test files stay loaded with the original file system, so this file loads its own.
const load = async () => ({
  ...(await import('../../testing/refused-files.js')),
  ...(await import('../datasets/file-state.js')),
  ...(await import('../errors.js')),
  ...(await import('../launchers/exchange/file-exchange.js')),
  ...(await import('../studies/held-out-metrics.js')),
  ...(await import('./null-if-missing.js')),
  ...(await import('./checkpoints.js')),
  ...(await import('./data-folder.js')),
  ...(await import('./files.js')),
  ...(await import('./partial-files.js')),
  ...(await import('./run-directory.js')),
  ...(await import('../system-fault.js')),
})

let loaded: Awaited<ReturnType<typeof load>>
beforeAll(async () => {
  vi.resetModules()
  vi.doMock('node:fs/promises', async (original) => {
    const { refusing } = await import('../../testing/refused-files.js')
    return refusing(await original<object>())
  })
  loaded = await load()
})
afterAll(() => {
  vi.doUnmock('node:fs/promises')
  vi.resetModules()
})

let base: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-refused-')))
  loaded.nameFolder(base, 'the data folder')
})
afterEach(() => {
  loaded.refuseNothing()
  rmSync(base, { recursive: true })
})

/** A run with one complete checkpoint. */
function runWithCheckpoint(): Run {
  const run = new loaded.RunDirectory(join(base, 'run'))
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

test('an unreadable checkpoint is neither absent nor damaged nor partial', async () => {
  const run = runWithCheckpoint()
  const checkpoint = run.checkpoint('best')
  expect(await loaded.isComplete(checkpoint)).toBe(true)
  const denied = {
    code: 'STORAGE_DENIED',
    message: expect.stringContaining('run/checkpoints/best/checkpoint.json'),
  }
  loaded.refuse(join(checkpoint, 'checkpoint.json'), 'EACCES')
  await expect(loaded.readManifest(checkpoint)).rejects.toMatchObject(denied)
  await expect(loaded.isComplete(checkpoint)).rejects.toMatchObject(denied)
  await expect(loaded.listCheckpoints(run.checkpoints, { size: 1 })).rejects.toMatchObject(denied)
  expect(await loaded.findCheckpoints(run.checkpoints, 1)).toMatchObject({ checkpoints: [], fault: denied })
  await loaded.removePartialFiles(run)
  loaded.refuseNothing()
  expect(await loaded.isComplete(checkpoint)).toBe(true)
  loaded.refuse(join(checkpoint, 'model.1.1.0.safetensors'), 'EIO')
  expect(await loaded.verifyCheckpoint(checkpoint).catch(loaded.systemFault)).toMatchObject({
    code: 'STORAGE_FAILED',
  })
})

test('a dataset whose files are refused is blocked, and no error of a list', async () => {
  const table = join(base, 'study.csv')
  writeFileSync(table, '')
  const readiness = { status: 'ready' as const, checks: [] }
  for (const code of ['EACCES', 'EIO']) {
    loaded.refuse(table, code)
    expect(await loaded.withFileState({ path: table, readiness })).toMatchObject({
      readiness: { status: 'blocked', checks: [{ key: 'files_missing' }] },
    })
  }
})

test('a job with an inaccessible run directory has ended nevertheless', async () => {
  const run = runWithCheckpoint()
  const folder = { run: () => run, cache: join(base, 'cache') }
  loaded.refuse(run.path, 'EACCES')
  await loaded.fileExchanges({ folder, roots: [] })('a').end(1)
  // While its whole folder is missing, or another process is the controller, nothing is known about it.
  const confirm = () => Promise.reject(new loaded.AppError('DATA_FOLDER_MISSING', { english: 'gone' }))
  await expect(loaded.fileExchanges({ folder, roots: [], confirm })('a').end(1)).rejects.toThrow('gone')
})

test('unreadable metrics are an error, metrics of a missing file are null', async () => {
  const file = join(base, 'validation.json')
  expect(await loaded.metricsIn(file)).toBeNull()
  writeFileSync(file, '{}')
  expect(await loaded.metricsIn(file)).toBeNull()
  loaded.refuse(file, 'EACCES')
  await expect(loaded.metricsIn(file)).rejects.toMatchObject({ code: 'STORAGE_DENIED' })
})

test('an unreadable file counts as absent only if a user named it', async () => {
  const denied = () => Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }))
  await expect(loaded.nullIfMissing(denied())).rejects.toThrow('denied')
  expect(await loaded.nullIfUnreadable(denied())).toBeNull()
})

test('a write error names the file', async () => {
  mkdirSync(join(base, 'results.json'))
  const error = await loaded.writeTextAtomically(join(base, 'results.json'), 'text').catch((thrown) => thrown)
  expect(error).toMatchObject({ path: join(base, 'results.json') })
})

test('a data folder in which no run can be created is not writable', async () => {
  const folder = await loaded.openDataFolder(join(base, 'data'))
  await folder.confirmWritable()
  loaded.refuse(join(folder.path, 'runs'), 'EROFS')
  expect(await folder.confirmWritable().catch(loaded.systemFault)).toMatchObject({
    code: 'STORAGE_DENIED',
    message: expect.stringMatching(/runs in the data folder: writing is not possible/),
  })
  await folder.close()
})
