/** @module-tag service */
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CasesPage, Pictures } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPython } from '../../testing/python.js'
import { startTestService, testSettings } from '../../testing/service.js'
import { trimBrowseCache } from './browse-cache.js'

const python = testPython()

/** A grayscale PNG of 2 × 1 pixels. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAAC0lEQVR4nGPgPAEAAN0A0lxydIsAAAAASUVORK5CYII=',
  'base64',
)

test('the picture cache keeps the most recently used ones, within its limit and time', async () => {
  const { dataDir } = testSettings()
  const folder = join(dataDir, 'browse', 'images', 'ab')
  mkdirSync(folder, { recursive: true })
  const now = Date.now() / 1000
  for (const [name, age] of [
    ['old', 1000],
    ['middle', 20],
    ['new', 10],
  ] as const) {
    writeFileSync(join(folder, name), 'x'.repeat(100))
    utimesSync(join(folder, name), now - age, now - age)
  }
  await trimBrowseCache(dataDir, 500, 1000)
  expect(readdirSync(folder).sort()).toEqual(['middle', 'new'])
  await trimBrowseCache(dataDir, 500, 150)
  expect(readdirSync(folder)).toEqual(['new'])
})

describe.skipIf(!python)('a registered dataset (needs the trainer)', () => {
  let service: Awaited<ReturnType<typeof startTestService>>
  let base: string
  const inject = (url: string) => service.app.inject({ url: base + url })
  const cases = async (query = ''): Promise<CasesPage & { code?: string }> =>
    (await inject(`/cases${query}`)).json()

  beforeAll(async () => {
    service = await startTestService(python ? { python } : {})
    const rows = Array.from(
      { length: 12 },
      (_, n) => `${n === 1 ? 'gone' : 'Eva'}.png,P-${n % 4},${n % 2 ? 'no' : 'yes'},${n * 1.5}`,
    )
    writeFileSync(join(service.root, 'table.csv'), `image,patient_id,label,age\n${rows.join('\n')}\n`)
    writeFileSync(join(service.root, 'Eva.png'), PNG)
    const payload = { path: 'table.csv' }
    const registered = await service.app.inject({ method: 'POST', url: '/api/datasets', payload })
    base = `/api/datasets/${registered.json().dataset_id}`
  })
  afterAll(() => service.close())

  test('returns its cases in pages, filtered and ordered, without identifiers', async () => {
    const first = await cases('?page_size=5&class=yes&order_by=age&order=desc')
    expect([first.total, first.num_cases]).toEqual([6, 12])
    expect(first.cases.map(({ row }) => row)).toEqual([10, 8, 6, 4, 2])
    const rest = await cases(
      `?page_size=5&class=yes&order_by=age&order=desc&page_token=${first.next_page_token}`,
    )
    expect(rest.cases.map(({ row }) => row)).toEqual([0])
    expect(rest.next_page_token).toBeNull()
    expect(JSON.stringify(first)).not.toMatch(/Eva|P-\d/)
    expect((await cases('?columns=patient_id&columns=age&identifiers=true')).cases[1]?.values).toEqual([
      'P-1',
      1.5,
    ])
    expect((await cases('?filter=agee%20%3E%201')).code).toBe('FILTER_INVALID')
  })

  test('counts a column by class', async () => {
    const found = (await inject('/distribution?column=age&bins=2')).json()
    expect(found.edges).toEqual([0, 8.25, 16.5])
    expect(
      found.groups.map((group: { class: string; counts: number[] }) => [group.class, group.counts]),
    ).toEqual(
      expect.arrayContaining([
        ['yes', [3, 3]],
        ['no', [3, 3]],
      ]),
    )
  })

  test('sends an image as displayed, without caching', async () => {
    const image = await inject('/images/0/0?size=64')
    expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/png'])
    expect(image.headers['cache-control']).toBe('private, no-store')
    const model = await inject('/images/0/0?as=model&image_width=32&image_height=16')
    expect([model.rawPayload.readUInt32BE(16), model.rawPayload.readUInt32BE(20)]).toEqual([32, 16])
    expect((await inject('/images/0/0/info')).json()).toMatchObject({ kind: 'PNG', width: 2, height: 1 })
  })

  test('reports why an image cannot be shown', async () => {
    const codes = await Promise.all(
      [
        '/images/1/0',
        '/images/12/0',
        '/images/0/1',
        '/images/0/0?size=65',
        '/images/0/0?window_center=4',
      ].map(async (url) => (await inject(url)).json().code),
    )
    expect(codes).toEqual([
      'IMAGES_UNREADABLE',
      'IMAGE_NOT_FOUND',
      'IMAGE_NOT_FOUND',
      'INVALID_REQUEST',
      'INVALID_REQUEST',
    ])
  })

  test('returns many pictures at once, each with its own problem', async () => {
    const payload = { rows: Array.from({ length: 12 }, (_, row) => row), size: 64 }
    const response = await service.app.inject({ method: 'POST', url: `${base}/thumbnails`, payload })
    const { pictures } = response.json() as Pictures
    expect(pictures.map(({ problem }) => problem?.code ?? null)).toEqual(
      payload.rows.map((row) => (row === 1 ? 'IMAGES_UNREADABLE' : null)),
    )
    const folder = join(service.settings.dataDir, 'cache', 'browse', 'images')
    expect(statSync(folder).isDirectory()).toBe(true)
  })
})
