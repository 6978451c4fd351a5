/** @module-tag service */
import { existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Health, PreparedCache, Ready, SystemInfo } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPython } from '../../testing/python.js'
import { startTestService } from '../../testing/service.js'
import type { Settings } from '../settings.js'
import { parseGpus } from './gpu.js'

let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
const get = async (url: string) => (await service.app.inject({ url })).json()

test('health shows that the service is running', async () => {
  const before = Date.now()
  const health = Health.parse(await get('/api/system/health'))
  const after = Date.now()
  expect(health.status).toBe('healthy')
  expect(Date.parse(health.timestamp)).toBeGreaterThanOrEqual(before)
  expect(Date.parse(health.timestamp)).toBeLessThanOrEqual(after)
})

test('information has the fields of the specification, sizes with their unit', async () => {
  const info = SystemInfo.parse(await get('/api/system/info'))
  for (const size of [info.disk.total, info.disk.used, info.disk.free, info.memory.total])
    expect(size).toMatch(/^\d+(\.\d)? (B|KB|MB|GB|TB|PB)$/)
  expect(info.gpu.count).toBe(info.gpu.devices.length)
  expect(info.gpu.available).toBe(info.gpu.count > 0)
  expect(info.trainings).toEqual({ launcher: 'local', cluster: null })
})

test('without Python the versions are unknown with the reason, and the service is alive but not ready', async () => {
  const info = await get('/api/system/info')
  expect([info.python_version, info.pytorch_version]).toEqual(['unknown', 'unknown'])
  expect(info.python_error).toContain('npm run setup')
  const ready = Ready.parse(await get('/api/system/ready'))
  expect(ready.status).toBe('not_ready')
  expect(ready.checks).toMatchObject({ database: { ok: true }, python: { ok: false } })
})

describe('the cache of prepared images', () => {
  const store = (cache: string) => {
    const folder = join(cache, 'prepared', 'a1b2c3d4e5f60718')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'params.json'),
      JSON.stringify({ width: 80, height: 64, depth: 8, window: null }),
    )
    writeFileSync(join(folder, 'records.bin'), Buffer.alloc(80 * 64 * 3, 1))
    writeFileSync(join(folder, 'index.jsonl'), '["digest",0,"pixels",1]\n')
    return folder
  }

  test('has the limit of the setting, with a share of the disk converted to bytes', async () => {
    const limitOf = async (imageCache: Settings['imageCache']) => {
      const { settings, close } = await startTestService({ imageCache })
      await close()
      return JSON.parse(readFileSync(join(settings.dataDir, 'cache', 'limit.json'), 'utf8')).limit_bytes
    }
    expect(await limitOf({ bytes: 12_345 })).toBe(12_345)
    const { blocks, bsize } = statfsSync(service.settings.dataDir)
    expect(await limitOf({ share: 0.25 })).toBe(Math.floor(0.25 * blocks * bsize))
  })

  test('is unknown without Python', async () => {
    const response = await service.app.inject({ url: '/api/system/cache' })
    expect([response.statusCode, response.json().code]).toEqual([500, 'PYTHON_UNAVAILABLE'])
  })

  const python = testPython()
  test.skipIf(!python)(
    'is shown and cleared',
    async () => {
      const real = await startTestService({ python: python ?? '', imageCache: { bytes: 10_000_000 } })
      const folder = store(join(real.settings.dataDir, 'cache'))
      try {
        const before = PreparedCache.parse((await real.app.inject({ url: '/api/system/cache' })).json())
        expect(before).toMatchObject({
          limit_bytes: 10_000_000,
          stores: [{ image_size: [80, 64], depth: 8, images: 1, in_use: false }],
        })
        expect(before.size_bytes).toBeGreaterThanOrEqual(80 * 64 * 3)
        const cleared = await real.app.inject({ method: 'DELETE', url: '/api/system/cache' })
        expect(cleared.json()).toEqual({ cleared: 1, freed_bytes: before.size_bytes, kept: 0 })
        expect(existsSync(folder)).toBe(false)
        expect((await real.app.inject({ url: '/api/system/cache' })).json().stores).toEqual([])
      } finally {
        await real.close()
      }
    },
    90_000,
  )
})

test('nvidia-smi lists one device per line; names may contain commas, a value may be missing', () => {
  expect(parseGpus('0, NVIDIA H200, 143771, 4\n1, A, B, 24564, [N/A]\n\n')).toEqual([
    { id: 0, name: 'NVIDIA H200', memory_total_bytes: 143771 * 2 ** 20, memory_used_bytes: 4 * 2 ** 20 },
    { id: 1, name: 'A, B', memory_total_bytes: 24564 * 2 ** 20, memory_used_bytes: 0 },
  ])
  expect(parseGpus('No devices were found\n')).toEqual([])
})

describe('the interface describes itself', () => {
  test('/openapi.json is the emitted document', async () => {
    const file = createRequire(import.meta.url).resolve('@medloom/contracts/openapi.json')
    expect(await get('/openapi.json')).toEqual(JSON.parse(readFileSync(file, 'utf8')))
  })

  test('the page, scripts and styles of /docs are all served by the service', async () => {
    const page = await service.app.inject({ url: '/docs' })
    expect(page.headers['content-type']).toContain('text/html')
    const references = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, reference]) => reference ?? '',
    )
    expect(references.length).toBeGreaterThan(4)
    for (const reference of references) {
      expect(reference).toMatch(/^\/docs\//)
      expect((await service.app.inject({ url: reference })).statusCode).toBe(200)
    }
    // The policy forbids inline scripts, so the page must not have any.
    expect(page.body).not.toMatch(/<script>|<script (?!src)/)
    expect(await get('/docs/json')).toHaveProperty('openapi', '3.1.0')
  })
})

describe('GET /metrics', () => {
  const scrape = async () => {
    const response = await service.app.inject({ url: '/metrics' })
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    return response.body
  }
  const value = (text: string, series: string) => {
    const line = text.split('\n').find((line) => line.startsWith(`${series} `))
    return line === undefined ? undefined : Number(line.slice(series.length + 1))
  }

  test('is Prometheus text: every series once, with help and type, every value a number', async () => {
    const text = await scrape()
    const names = [...text.matchAll(/^# TYPE (\S+) (gauge|counter|histogram)$/gm)].map(([, name]) => name)
    expect(new Set(names).size).toBe(names.length)
    const samples = text.split('\n').filter((line) => line && !line.startsWith('#'))
    for (const sample of samples) expect(sample).toMatch(/^[a-z_]+(\{([a-z_]+="[^"]*",?)+\})? -?[\d.e+-]+$/)
    const series = samples.map((sample) => sample.slice(0, sample.lastIndexOf(' ')))
    expect(new Set(series).size).toBe(series.length)
  })

  test('counts the requests by route, not by address, and records each duration', async () => {
    const counted = 'medloom_http_requests_total{method="GET",route="/api/models/:model_id",status="404"}'
    const before = value(await scrape(), counted) ?? 0
    for (const id of ['a', 'b', 'c']) await service.app.inject({ url: `/api/models/${id}` })
    const text = await scrape()
    expect(value(text, counted)).toBe(before + 3)
    expect(text).not.toContain('/api/models/a')
    const route = 'route="/api/models/:model_id"'
    expect(value(text, `medloom_http_request_duration_seconds_count{${route}}`)).toBe(before + 3)
    expect(value(text, `medloom_http_request_duration_seconds_bucket{le="+Inf",${route}}`)).toBe(before + 3)
  })

  test('does not add series, whatever addresses clients request', async () => {
    const countLines = async (name: string) => {
      await service.app.inject({ url: `/api/models/${name}` })
      await service.app.inject({ url: `/nowhere/${name}` })
      return (await scrape()).split('\n').length
    }
    // The first scrape adds the series of its own route to the next one.
    await scrape()
    const before = await countLines('first')
    for (const name of ['second', 'third', 'fourth']) expect(await countLines(name)).toBe(before)
    expect(await scrape()).toContain('route="unknown"')
  })

  test('keeps the names that dashboards use', async () => {
    const names = [...(await scrape()).matchAll(/^# TYPE (\S+ \S+)$/gm)].map(([, name]) => name)
    expect(names.sort()).toEqual([
      'medloom_event_loop_lag_seconds gauge',
      'medloom_http_request_duration_seconds histogram',
      'medloom_http_requests_total counter',
      'medloom_jobs gauge',
      'medloom_queued_jobs gauge',
      'medloom_websockets gauge',
      'nodejs_heap_size_used_bytes gauge',
      'process_resident_memory_bytes gauge',
      'process_start_time_seconds gauge',
    ])
  })

  test('contains jobs, queue, sockets, memory and the lag of the event loop', async () => {
    const text = await scrape()
    expect(value(text, 'medloom_jobs{status="running"}')).toBe(0)
    expect(value(text, 'medloom_queued_jobs')).toBe(0)
    expect(value(text, 'medloom_websockets')).toBe(0)
    expect(value(text, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const block = performance.now() + 300
    while (performance.now() < block);
    await new Promise((resolve) => setTimeout(resolve, 50))
    const lag = value(await scrape(), 'medloom_event_loop_lag_seconds') ?? 0
    expect(lag).toBeGreaterThan(0.25)
    // In seconds, not milliseconds.
    expect(lag).toBeLessThan(100)
  })
})
