import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listCheckpoints, openCheckpoint, verifyCheckpoint } from './checkpoints.js'

let base: string
let folder: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-checkpoints-')))
  folder = join(base, 'root', 'best')
  mkdirSync(folder, { recursive: true })
  write()
})
afterEach(() => rmSync(base, { recursive: true }))

function write(file = 'model.safetensors'): void {
  const sha256 = createHash('sha256').update('weights').digest('hex')
  writeFileSync(join(folder, 'model.safetensors'), 'weights')
  writeFileSync(
    join(folder, 'checkpoint.json'),
    JSON.stringify({
      schema_version: 1,
      job_id: '8b8a3a0e-3f0c-4c6b-9a43-0d8a9f8c1c11',
      attempt: 1,
      epoch: 3,
      created_at: '2026-01-02T03:04:05.000Z',
      metrics: {},
      files: { model: { file, sha256, size_bytes: 7 } },
    }),
  )
}
/** Move the file, and create a link in its place. */
function linkTo(target: string, name: string): void {
  mkdirSync(join(target, '..'), { recursive: true })
  renameSync(join(folder, name), target)
  symlinkSync(target, join(folder, name))
}

it('is opened and verified', async () => {
  expect((await openCheckpoint(folder)).epoch).toBe(3)
  expect((await verifyCheckpoint(folder)).epoch).toBe(3)
})

describe('a file of it that is a link', () => {
  it.each(['model.safetensors', 'checkpoint.json'])(
    'to outside of the roots is refused: %s',
    async (name) => {
      linkTo(join(base, 'elsewhere', name), name)
      const refused = { code: 'PATH_NOT_ALLOWED', message: expect.stringContaining(name) }
      await expect(openCheckpoint(folder, [join(base, 'root')])).rejects.toMatchObject(refused)
      await expect(verifyCheckpoint(folder)).rejects.toMatchObject(refused)
    },
  )

  it('to another place in the roots is followed', async () => {
    linkTo(join(base, 'root', 'store', 'weights'), 'model.safetensors')
    expect((await openCheckpoint(folder, [join(base, 'root')])).epoch).toBe(3)
    await expect(openCheckpoint(folder)).rejects.toMatchObject({ code: 'PATH_NOT_ALLOWED' })
  })
})

describe('a damaged one is CHECKPOINT_CORRUPT with its path', () => {
  it.each<[string, RegExp, () => void]>([
    [
      'a missing file',
      /model of checkpoint best is missing/,
      () => rmSync(join(folder, 'model.safetensors')),
    ],
    [
      'a short file',
      /has a size in bytes of 4, not 7/,
      () => writeFileSync(join(folder, 'model.safetensors'), 'weig'),
    ],
    ['a name outside', /a path outside the checkpoint/, () => write('../other/model.safetensors')],
    [
      'a pipe in place of a file',
      /model of checkpoint best is missing/,
      () => {
        rmSync(join(folder, 'model.safetensors'))
        execFileSync('mkfifo', [join(folder, 'model.safetensors')])
      },
    ],
  ])('%s, when it is opened', async (_, message, damage) => {
    damage()
    await expect(openCheckpoint(folder)).rejects.toMatchObject({
      code: 'CHECKPOINT_CORRUPT',
      message: expect.stringMatching(message),
    })
  })

  it('one changed byte is detected during verification', async () => {
    writeFileSync(join(folder, 'model.safetensors'), 'weighty')
    await openCheckpoint(folder)
    await expect(verifyCheckpoint(folder)).rejects.toMatchObject({
      code: 'CHECKPOINT_CORRUPT',
      message: 'the model of checkpoint best does not match the manifest',
    })
  })
})

describe('the list of checkpoints', () => {
  const addTo = (name: string, manifest = readFileSync(join(folder, 'checkpoint.json'), 'utf8')) => {
    mkdirSync(join(base, 'root', name))
    writeFileSync(join(base, 'root', name, 'checkpoint.json'), manifest)
  }
  const names = async (offset: number, size: number) =>
    (await listCheckpoints(join(base, 'root'), { offset, size })).checkpoints.map(({ name }) => name)

  it('has the best, the last, then the others by epoch, page by page', async () => {
    for (const name of ['epoch-10000', 'epoch-0002', 'last', 'epoch-9999', 'epoch-0001']) addTo(name)
    expect(await names(0, 3)).toEqual(['best', 'last', 'epoch-0001'])
    expect(await names(3, 3)).toEqual(['epoch-0002', 'epoch-9999', 'epoch-10000'])
    expect(await names(6, 3)).toEqual([])
  })

  it('contains the total number', async () => {
    for (let epoch = 1; epoch <= 30; epoch++) addTo(`epoch-${String(epoch).padStart(4, '0')}`)
    const { checkpoints, total } = await listCheckpoints(join(base, 'root'), { size: 10 })
    expect([checkpoints.length, total]).toEqual([10, 31])
  })

  it('leaves out a folder without a manifest', async () => {
    mkdirSync(join(base, 'root', 'epoch-0001'))
    expect(await names(0, 10)).toEqual(['best'])
  })
})
