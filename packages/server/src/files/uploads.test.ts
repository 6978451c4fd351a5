import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Upload } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Actor } from '../security/actor.js'
import { filesRoutes } from './files.routes.js'
import { Uploads } from './uploads.js'

let base: string
let uploads: Uploads
const folder = () => ({ uploads: join(base, 'uploads'), incoming: join(base, 'incoming') })
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'medloom-uploads-'))
  for (const path of Object.values(folder())) mkdirSync(path)
  uploads = new Uploads(folder())
})
afterEach(() => rmSync(base, { recursive: true }))

const announce = (owner: string, path = 'a.csv', size_bytes = 3) =>
  uploads.create({ folder: 'study', path, size_bytes }, owner)
const send = ({ upload_id }: Upload, content: string) =>
  uploads.write(upload_id, 0, Readable.from([Buffer.from(content)]))

describe('uploads of several users', () => {
  test('with the same name and size do not conflict, and the first one that is finished is not replaced', async () => {
    const [ofAnn, ofBob] = [await announce('ann'), await announce('bob')]
    expect(ofBob.upload_id).not.toBe(ofAnn.upload_id)
    expect((await announce('ann')).upload_id).toBe(ofAnn.upload_id)
    await send(ofAnn, 'ann')
    await send(ofBob, 'bob')
    expect(await uploads.finish(ofAnn.upload_id)).toMatchObject({ owner: 'ann', finished: true })
    await expect(uploads.finish(ofBob.upload_id)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
    expect(readFileSync(ofAnn.path, 'utf8')).toBe('ann')
  })

  test('are listed for their user; an administrator sees all, including those without an owner', async () => {
    const [ofAnn, ofBob] = [await announce('ann'), await announce('bob')]
    const old = { upload_id: '00000000-0000-4000-8000-000000000000', folder: 'a', path: 'old', size_bytes: 1 }
    mkdirSync(join(folder().incoming, old.upload_id))
    writeFileSync(join(folder().incoming, old.upload_id, 'content'), '')
    writeFileSync(join(folder().incoming, old.upload_id, 'upload.json'), JSON.stringify(old))
    const { listUploads } = filesRoutes({} as never, uploads)
    const listed = async (user: string, role: Actor['role']) => {
      const { uploads } = (await listUploads({
        actor: { user, role, identifiers: true, token_id: null },
      } as never)) as {
        uploads: Upload[]
      }
      return uploads.map(({ upload_id, owner }) => [upload_id, owner]).sort()
    }
    expect(await listed('ann', 'run')).toEqual([[ofAnn.upload_id, 'ann']])
    expect(await listed('root', 'admin')).toEqual(
      [
        [ofAnn.upload_id, 'ann'],
        [ofBob.upload_id, 'bob'],
        [old.upload_id, null],
      ].sort(),
    )
  })

  test('are refused if their missing parts together exceed the free space', async () => {
    let free = 1000
    uploads = new Uploads(folder(), undefined, async () => free)
    const first = await announce('ann', 'a', 600)
    await expect(announce('bob', 'b', 401)).rejects.toMatchObject({
      code: 'DISK_FULL',
      message: expect.stringContaining('600 bytes'),
    })
    await announce('bob', 'b', 300)
    await expect(announce('cem', 'c', 101)).rejects.toMatchObject({ code: 'DISK_FULL' })
    // Received bytes use space of the disk, and are not reserved any more.
    await send(first, 'x'.repeat(100))
    free -= 100
    await expect(announce('cem', 'c', 101)).rejects.toMatchObject({ code: 'DISK_FULL' })
    free += 100
    await announce('cem', 'c', 101)
  })

  test('of one user cannot reserve all free space, so that others can upload', async () => {
    uploads = new Uploads(folder(), undefined, async () => 1000)
    await expect(announce('ann', 'a', 801)).rejects.toMatchObject({
      code: 'DISK_FULL',
      message: expect.stringContaining('80%'),
    })
    await announce('ann', 'a', 700)
    await expect(announce('ann', 'b', 101)).rejects.toMatchObject({
      code: 'TOO_MANY_UPLOADS',
      message: expect.stringContaining('700 bytes'),
      details: expect.stringContaining('Finish or cancel'),
    })
    await announce('ann', 'b', 100)
    await announce('bob', 'c', 160)
  })

  test('of which nothing arrives expire after an hour, and no longer reserve space', async () => {
    uploads = new Uploads(folder(), undefined, async () => 1000)
    const [empty, begun] = [await announce('ann', 'a', 400), await announce('ann', 'b', 100)]
    await send(begun, 'x')
    const ago = (seconds: number) => {
      for (const { upload_id } of [empty, begun])
        utimesSync(join(folder().incoming, upload_id, 'content'), 0, Date.now() / 1000 - seconds)
    }
    ago(3500)
    await uploads.sweep()
    await expect(announce('bob', 'c', 420)).rejects.toMatchObject({ code: 'DISK_FULL' })
    ago(3700)
    await announce('bob', 'c', 420)
    await uploads.sweep()
    expect((await uploads.list('ann')).map(({ upload_id }) => upload_id)).toEqual([begun.upload_id])
  })

  test('are limited per user, so that no user blocks others, and in total', async () => {
    uploads = new Uploads(folder(), { unfinished_uploads: 2, unfinished_uploads_in_total: 4 })
    for (const path of ['a', 'b']) await announce('ann', path)
    await expect(announce('ann', 'c')).rejects.toMatchObject({ code: 'TOO_MANY_UPLOADS' })
    const ofBob = await announce('bob')
    await announce('cem')
    await expect(announce('dan')).rejects.toMatchObject({ code: 'TOO_MANY_UPLOADS' })
    expect((await announce('bob')).upload_id).toBe(ofBob.upload_id)
  })
})

describe('the digest that is sent with the end of an upload', () => {
  const digest = createHash('sha256').update('abc').digest('hex')
  const finish = (upload: Upload, sha256: string) =>
    filesRoutes({} as never, uploads).finishUpload({
      params: { upload_id: upload.upload_id },
      body: { sha256 },
    } as never)

  test('is compared before the file is moved, and another content is removed', async () => {
    const upload = await announce('ann')
    await send(upload, 'abd')
    await expect(finish(upload, digest)).rejects.toMatchObject({ code: 'UPLOAD_DIGEST' })
    expect(existsSync(upload.path)).toBe(false)
    expect((await uploads.get(upload.upload_id)).offset).toBe(0)
    await send(upload, 'abc')
    expect(await finish(upload, digest)).toMatchObject({ finished: true })
  })

  test('does not replace the announced one', async () => {
    const other = createHash('sha256').update('abd').digest('hex')
    const upload = await uploads.create({ folder: 'study', path: 'b', size_bytes: 3, sha256: other }, 'ann')
    await send(upload, 'abc')
    await expect(finish(upload, digest)).rejects.toMatchObject({ code: 'UPLOAD_DIGEST' })
  })
})
