import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removePartialFiles } from './partial-files.js'
import { RunDirectory } from './run-directory.js'

let run: RunDirectory
beforeEach(() => {
  run = new RunDirectory(mkdtempSync(join(tmpdir(), 'medloom-partial-')))
})
afterEach(() => rmSync(run.path, { recursive: true }))

const KEPT = 'model.0123456789abcdef.safetensors'
const OLDER = 'model.fedcba9876543210.safetensors'
const TEMPORARY = '.model.x1y2z3_4'

function write(path: string, content = ''): void {
  mkdirSync(dirname(join(run.path, path)), { recursive: true })
  writeFileSync(join(run.path, path), content)
}
function writeManifest(folder: string): void {
  const files = { model: { file: KEPT, sha256: '0', size_bytes: 0 } }
  const job_id = '8b8a3a0e-3f0c-4c6b-9a43-0d8a9f8c1c11'
  const manifest = {
    schema_version: 1,
    job_id,
    epoch: 1,
    created_at: '2026-01-02T03:04:05.000Z',
    metrics: {},
    files,
  }
  write(`${folder}/checkpoint.json`, JSON.stringify(manifest))
}
const remaining = () =>
  readdirSync(run.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(run.path.length + 1))
    .sort()

it.each(['checkpoints/last', 'baselines/image/checkpoints/last'])(
  'files that the manifest in %s does not name are removed, but no files of a user',
  async (folder) => {
    writeManifest(folder)
    for (const name of [KEPT, OLDER, TEMPORARY, 'notes.txt']) write(`${folder}/${name}`)
    await removePartialFiles(run)
    expect(remaining()).toEqual([`${folder}/checkpoint.json`, `${folder}/${KEPT}`, `${folder}/notes.txt`])
  },
)

it('an unpublished checkpoint is removed with its folder', async () => {
  for (const name of [KEPT, TEMPORARY, '.checkpoint.json.ab12']) write(`checkpoints/epoch-0007/${name}`)
  await removePartialFiles(run)
  expect(readdirSync(run.checkpoints)).toEqual([])
})

it('a checkpoint with a damaged manifest is kept', async () => {
  write('checkpoints/best/checkpoint.json', '{"schema')
  write(`checkpoints/best/${KEPT}`)
  await removePartialFiles(run)
  expect(remaining()).toHaveLength(2)
})

it('temporary files of results are removed', async () => {
  const expected = ['config.yaml', 'events.1/0123.json', 'metrics/epochs.jsonl', 'result.json']
  const temporary = [
    '.result.json.ab_1',
    '.known-cases.safetensors.ab12',
    'baselines/image/.model.json.ab12',
    'metrics/.metrics.json.ab_1',
    'metrics/.validation-predictions.csv.ab12',
    'events.1/.0123.json.ab_1',
    '.control.1.json.0123456789ab.tmp',
    '.config.yaml.0123456789ab.tmp',
  ]
  for (const path of [...expected, ...temporary]) write(path)
  await removePartialFiles(run)
  expect(remaining()).toEqual(expected)
})

it('a run without checkpoints is not changed', async () => {
  await expect(removePartialFiles(run)).resolves.toBeUndefined()
})
