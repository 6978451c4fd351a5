import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeAbandonedFiles } from './abandoned-files.js'

const HOUR = 3600 * 1000
const NOW = Date.now()

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medloom-abandoned-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A file, or a folder if the path ends with a slash, that was written last this long ago. */
function write(path: string, hours: number): string {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  if (path.endsWith('/')) mkdirSync(whole)
  else writeFileSync(whole, 'half')
  const seconds = (NOW - hours * HOUR) / 1000
  utimesSync(whole, seconds, seconds)
  return path
}
const faults: unknown[] = []
const sweep = () => removeAbandonedFiles({ folder, now: NOW, onFault: (error) => faults.push(error) })
const remaining = (paths: readonly string[]) => paths.filter((path) => existsSync(join(folder, path)))

const OF_SERVICE = [
  '.service.json.0123456789ab.tmp',
  'folder-id.8b8a3a0e-3f0c-4c6b-9a43-0d8a9f8c1c11',
  'incoming/finished/.a.json.0123456789ab.tmp',
  'workflows/w/metrics/.m.json.0123456789ab.tmp',
  'outputs/table.csv.0123456789ab.tmp',
  'studies/s/.report.pdf.0123456789ab.tmp',
  'runs/r/.spec.json.0123456789ab.tmp',
  'runs/r/reports/charts/.roc.svg.0123456789ab.tmp',
]
const OF_TRAINER = [
  'cache/.params.json.ab12_xyz',
  'cache/browse/tables/.new-ab12_xyz/',
  'cache/example-8b8a3a0e-3f0c-4c6b-9a43-0d8a9f8c1c11/',
  'studies/s/.results.json.ab12_xyz',
  'runs/r/evaluations/e/.predictions.csv.ab12_xyz',
]
const KEPT = [
  'folder-id',
  'uploads/study/notes.0123456789ab.tmp',
  'workflows/w/.settings.original',
  'outputs/.settings.original',
  'runs/r/checkpoints/best/.model.ab12_xyz',
  'runs/r/.result.json.ab12_xyz',
  'runs/r/reports/report.html',
  'studies/s/config.yaml',
]

it('temporary files to which nothing has been written for long are removed, and nothing else', async () => {
  for (const path of OF_SERVICE) write(path, 1.1)
  for (const path of [...OF_TRAINER, ...KEPT]) write(path, 25)
  await sweep()
  expect(remaining([...OF_SERVICE, ...OF_TRAINER])).toEqual([])
  expect(remaining(KEPT)).toEqual(KEPT)
})

it('younger ones are kept, because a process may finish them: files of the service for an hour, of workers for a day', async () => {
  const young = [...OF_SERVICE.map((path) => write(path, 0.9)), ...OF_TRAINER.map((path) => write(path, 23))]
  await sweep()
  expect(remaining(young)).toEqual(young)
})

it('links are not followed', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'medloom-abandoned-'))
  const file = join(outside, '.a.json.0123456789ab.tmp')
  writeFileSync(file, '')
  utimesSync(file, 1, 1)
  mkdirSync(join(folder, 'studies'))
  symlinkSync(outside, join(folder, 'studies', 'linked'))
  await sweep()
  expect(existsSync(file)).toBe(true)
  expect(faults).toEqual([])
  rmSync(outside, { recursive: true })
})
