import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
