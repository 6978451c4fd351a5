/** @module-tag service */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS, type Upload } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService } from '../../testing/service.js'
import { until } from '../../testing/training/until.js'
import { Uploads } from './uploads.js'

let service: Awaited<ReturnType<typeof startTestService>>
const get = async (url: string) => (await service.app.inject({ url })).json()
const post = async (url: string, payload?: object) =>
  (await service.app.inject({ method: 'POST', url, ...(payload ? { payload } : {}) })).json()
const put = async (id: string, offset: number, payload: Buffer | string) =>
  (
    await service.app.inject({
      method: 'PUT',
      url: `/api/uploads/${id}?offset=${offset}`,
      payload,
      headers: { 'content-type': 'application/octet-stream' },
    })
  ).json()
const announce = (path: string, content: string | Buffer, more = {}): Promise<Upload & { code?: string }> =>
  post('/api/uploads', { folder: 'study', path, size_bytes: Buffer.byteLength(content), ...more })
const list = (path: string, query = '') => get(`/api/files?path=${encodeURIComponent(path)}${query}`)

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('folders', () => {
  test('without a path, the roots and the folder of uploads are listed by name', async () => {
    const { entries, path, total } = await get('/api/files')
    expect([path, total]).toEqual([null, 2])
    expect(entries).toMatchObject([
      { name: 'root', path: service.root, kind: 'folder', size_bytes: null },
      { name: 'uploads', path: join(service.settings.dataDir, 'uploads'), kind: 'folder' },
    ])
  })

  test('a folder is listed: folders first, by name, with kinds; without hidden files, pipes and links that lead out', async () => {
    const folder = join(service.root, 'listed')
    mkdirSync(join(folder, 'z-images'), { recursive: true })
    const dicom = Buffer.concat([Buffer.alloc(128), Buffer.from('DICM')])
    const files = {
      'b.csv': 'a\n',
      'a.PNG': 'x',
      'scan.nii.gz': 'x',
      '.hidden': '',
      'note.txt': 'x',
      IM0001: dicom,
      IM0002: Buffer.from('\u0002\0\0\0UL\u0004\0', 'latin1'),
    }
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    const outside = mkdtempSync(join(tmpdir(), 'medloom-outside-'))
    symlinkSync(outside, join(folder, 'door'))
    symlinkSync(join(folder, 'b.csv'), join(folder, 'c-link.csv'))
    const listing = await list('listed')
    expect(listing).toMatchObject({ path: folder, parent: service.root, total: 8, next_page_token: null })
    expect(listing.entries.map(({ name, kind }: { name: string; kind: string }) => [name, kind])).toEqual([
      ['z-images', 'folder'],
      ['IM0001', 'dicom'],
      ['IM0002', 'dicom'],
      ['a.PNG', 'image'],
      ['b.csv', 'table'],
      ['c-link.csv', 'table'],
      ['note.txt', 'other'],
      ['scan.nii.gz', 'nifti'],
    ])
    expect((await list(join(folder, 'door'))).code).toBe('PATH_NOT_ALLOWED')
    expect((await list('listed/b.csv')).code).toBe('FILE_NOT_FOUND')
  })

  test('the pages together contain every entry once', async () => {
    mkdirSync(join(service.root, 'many'))
    for (let n = 0; n < 7; n++) writeFileSync(join(service.root, 'many', `${n}.csv`), '')
    const names: string[] = []
    let token: string | null = ''
    do {
      const page: Awaited<ReturnType<typeof get>> = await list(
        'many',
        `&page_size=3${token && `&page_token=${token}`}`,
      )
      names.push(...page.entries.map(({ name }: { name: string }) => name))
      expect(page.total).toBe(7)
      token = page.next_page_token
    } while (token)
    expect(names).toEqual(['0', '1', '2', '3', '4', '5', '6'].map((n) => `${n}.csv`))
    expect((await list('many', '&page_token=x')).code).toBe('INVALID_PAGE_TOKEN')
  })
})

describe('an upload', () => {
  test('is sent in pieces, verified and moved to its path, which requests may name', async () => {
    const content = Buffer.from('image,label\na.png,1\n')
    const sha256 = createHash('sha256').update(content).digest('hex')
    const upload = await announce('tables/train.csv', content, { sha256 })
    expect(upload).toMatchObject({ offset: 0, finished: false, size_bytes: content.length })
    expect(await put(upload.upload_id, 0, content.subarray(0, 5))).toMatchObject({ offset: 5 })
    expect(existsSync(upload.path)).toBe(false)
    expect((await post(`/api/uploads/${upload.upload_id}/finish`)).code).toBe('UPLOAD_INCOMPLETE')
    expect((await put(upload.upload_id, 4, content.subarray(4))).code).toBe('UPLOAD_OFFSET')
    expect(await put(upload.upload_id, 5, content.subarray(5))).toMatchObject({ offset: content.length })
    expect(await post(`/api/uploads/${upload.upload_id}/finish`)).toMatchObject({
      finished: true,
      path: upload.path,
    })
    expect(readFileSync(upload.path)).toEqual(content)
    expect((await get(`/api/uploads/${upload.upload_id}`)).code).toBe('UPLOAD_NOT_FOUND')
    expect((await list(upload.folder)).entries).toContainEqual(
      expect.objectContaining({ name: 'tables', kind: 'folder' }),
    )
  })

  test('with a broken connection continues from the received data, even if it is announced again', async () => {
    const content = Buffer.alloc(300_000, 'ab')
    const upload = await announce('broken.bin', content)
    const { hostname, port } = new URL(service.address)
    const socket = connect(Number(port), hostname)
    socket.write(
      `PUT /api/uploads/${upload.upload_id}?offset=0 HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
        `Content-Type: application/octet-stream\r\nContent-Length: ${content.length}\r\n\r\n`,
    )
    socket.write(content.subarray(0, 100_000))
    await until(async () => (await get(`/api/uploads/${upload.upload_id}`)).offset === 100_000)
    // The connection is still open: the next request replaces it.
    const again = await announce('broken.bin', content)
    expect(again).toMatchObject({ upload_id: upload.upload_id, offset: 100_000 })
    expect(await put(upload.upload_id, 100_000, content.subarray(100_000))).toMatchObject({ offset: 300_000 })
    socket.destroy()
    await post(`/api/uploads/${upload.upload_id}/finish`)
    expect(readFileSync(upload.path).equals(content)).toBe(true)
  })

  test('never replaces a file', async () => {
    const first = await announce('same.csv', 'a')
    const other = await announce('same.csv', 'bb')
    for (const [upload, content] of [
      [first, 'a'],
      [other, 'bb'],
    ] as const)
      await put(upload.upload_id, 0, content)
    expect(await post(`/api/uploads/${first.upload_id}/finish`)).toMatchObject({ finished: true })
    expect((await post(`/api/uploads/${other.upload_id}/finish`)).code).toBe('FILE_EXISTS')
    expect((await announce('same.csv', 'c')).code).toBe('FILE_EXISTS')
    expect(readFileSync(first.path, 'utf8')).toBe('a')
  })

  test('with other content than announced is refused, and can be sent again', async () => {
    const upload = await announce('digest.csv', 'right', {
      sha256: createHash('sha256').update('right').digest('hex'),
    })
    await put(upload.upload_id, 0, 'wrong')
    expect((await post(`/api/uploads/${upload.upload_id}/finish`)).code).toBe('UPLOAD_DIGEST')
    await put(upload.upload_id, 0, 'right')
    expect(await post(`/api/uploads/${upload.upload_id}/finish`)).toMatchObject({ finished: true })
  })

  test('accepts no more bytes than announced', async () => {
    const upload = await announce('long.csv', 'four')
    expect((await put(upload.upload_id, 0, 'fives')).code).toBe('PAYLOAD_TOO_LARGE')
  })

  test.each(['../a.csv', '/a.csv', 'a/../b.csv', '.a.csv', 'a//b', 'a\\b', 'a\nb'])(
    '%j is not a valid path for a file',
    async (path) => {
      expect((await announce(path, 'x')).code).toBe('INVALID_REQUEST')
    },
  )

  test('invalid file names, excessive sizes and files without space are refused', async () => {
    expect((await announce('ä'.repeat(200), 'x')).code).toBe('INVALID_REQUEST')
    const upload = (size_bytes: number) => post('/api/uploads', { folder: 'study', path: 'big', size_bytes })
    expect((await upload(LIMITS.upload_bytes + 1)).code).toBe('INVALID_REQUEST')
  })

  test('that is canceled or abandoned is removed', async () => {
    const given = await announce('given-up.csv', 'x')
    const abandoned = await announce('left.csv', 'x')
    const deleted = await service.app.inject({ method: 'DELETE', url: `/api/uploads/${given.upload_id}` })
    expect(deleted.json()).toEqual({ upload_id: given.upload_id })
    const incoming = join(service.settings.dataDir, 'incoming')
    const uploads = new Uploads({ uploads: join(service.settings.dataDir, 'uploads'), incoming })
    await uploads.sweep()
    expect((await get(`/api/uploads/${abandoned.upload_id}`)).offset).toBe(0)
    const old = Date.now() / 1000 - LIMITS.upload_seconds - 1
    utimesSync(join(incoming, abandoned.upload_id, 'content'), old, old)
    await uploads.sweep()
    expect((await get(`/api/uploads/${abandoned.upload_id}`)).code).toBe('UPLOAD_NOT_FOUND')
  })

  test('of JSON is refused with a remedy, and bytes are not JSON', async () => {
    const upload = await announce('kind.csv', 'x')
    const url = `/api/uploads/${upload.upload_id}?offset=0`
    expect((await service.app.inject({ method: 'PUT', url, payload: { a: 1 } })).json().code).toBe(
      'INVALID_REQUEST',
    )
    const headers = { 'content-type': 'application/octet-stream' }
    const bytes = await service.app.inject({ method: 'POST', url: '/api/uploads', payload: '{}', headers })
    expect(bytes.json().code).toBe('INVALID_JSON')
  })
})
