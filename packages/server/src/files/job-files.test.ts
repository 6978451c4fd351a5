/** @module-tag service */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { serviceWithModels } from '../../testing/evaluations.js'

const PAGE = '<!doctype html><title>Report</title><script>document.title = "run"</script>'
let service: Awaited<ReturnType<typeof serviceWithModels>>
let job: string
let files: string

beforeAll(async () => {
  service = await serviceWithModels()
  job = service.jobs[0] ?? ''
  files = `/api/training/${job}/files`
  // The service writes the report of a training after its end; the files below replace it.
  const written = service.jobs.flatMap((id) =>
    ['report.html', 'summary.json'].map((name) => service.run(id, `reports/${name}`)),
  )
  await vi.waitFor(() => expect(written.every((path) => existsSync(path))).toBe(true), { timeout: 30_000 })
  for (const folder of ['reports', 'artifacts'])
    rmSync(service.run(job, folder), { recursive: true, force: true })
  for (const [file, content] of [
    ['config.yaml', 'data: {}\n'],
    ['spec.json', '{}'],
    ['known-cases.safetensors', 'digests'],
    ['reports/report.html', PAGE],
    ['reports/report.pdf', '%PDF'],
    ['reports/.report.html.0123.tmp', 'half'],
    ['evaluations/one/predictions.csv', ''],
    ['evaluations/one/a name; with "signs" – ü.csv', 'a'],
    ['exports/model.onnx', 'onnx'],
  ] as const)
    service.write(service.run(job, file), content)
  writeFileSync(join(service.settings.dataDir, 'secret.txt'), 'secret')
  const link = (from: string, to: string) => symlinkSync(to, service.run(job, from))
  link('reports/outside.html', join(service.settings.dataDir, 'secret.txt'))
  link('reports/weights.html', service.run(job, 'checkpoints/best/checkpoint.json'))
  link('exports/other', service.run(service.jobs[1], 'checkpoints'))
  link('artifacts', service.settings.dataDir)
  mkdirSync(service.run(job, 'comparisons'))
})
afterAll(() => service.close())

const get = (url: string) => service.app.inject({ url })
const pathsOf = async (query = '') =>
  (await service.get(`${files}${query}`)).files.map(({ path }: { path: string }) => path)

test('results are listed; checkpoints only on request; links, internal files and unfinished ones never', async () => {
  const known = [
    'config.yaml',
    'evaluations/one/a name; with "signs" – ü.csv',
    'evaluations/one/predictions.csv',
    'exports/model.onnx',
    'reports/report.html',
    'reports/report.pdf',
  ]
  expect(await pathsOf()).toEqual(known)
  expect(await pathsOf('?under=exports')).toEqual(['exports/model.onnx'])
  expect(await pathsOf('?under=export')).toEqual([])
  expect(await pathsOf('?checkpoints=true&under=checkpoints')).toContain('checkpoints/best/checkpoint.json')
  const first = await service.get(`${files}?page_size=4`)
  const second = await service.get(`${files}?page_size=4&page_token=${first.next_page_token}`)
  expect([...first.files, ...second.files].map(({ path }) => path)).toEqual(known)
  expect((await service.get('/api/training/none/files')).code).toBe('JOB_NOT_FOUND')
})

test('a report is displayed as a page without permissions, other files are downloaded', async () => {
  const page = await get(`${files}/reports/report.html`)
  expect([page.statusCode, page.body]).toEqual([200, PAGE])
  expect(page.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none';/)
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': "inline; filename*=UTF-8''report.html",
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  expect((await get(`${files}/reports/report.html?download=true`)).headers['content-disposition']).toMatch(
    /^attachment/,
  )
  const pdf = await get(`${files}/reports/report.pdf`)
  expect(pdf.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-length': '4',
    'content-disposition': "attachment; filename*=UTF-8''report.pdf",
  })
  const named = await get(`${files}/evaluations/one/${encodeURIComponent('a name; with "signs" – ü.csv')}`)
  expect([named.statusCode, named.body]).toEqual([200, 'a'])
  const empty = await get(`${files}/evaluations/one/predictions.csv`)
  expect([empty.statusCode, empty.body, empty.headers['content-length']]).toEqual([200, '', '0'])
})

test('weights are returned only on request', async () => {
  const place = `${files}/checkpoints/best/checkpoint.json`
  expect((await get(place)).json().code).toBe('RUN_FILE_NOT_FOUND')
  expect((await get(`${place}?checkpoints=true`)).statusCode).toBe(200)
})

test.each([
  ['leads out', '../secret.txt'],
  ['leads out in other signs', '%2e%2e/secret.txt'],
  ['leads out behind a slash in other signs', 'reports%2f..%2f..%2f..%2fmedloom.db'],
  ['leads out twice encoded', '%252e%252e/secret.txt'],
  ['leads out behind a folder', 'reports/../../../secret.txt'],
  ['leads out and back', 'reports/../reports/report.html'],
  ['is absolute', '%2fetc%2fpasswd'],
  ['has backslashes', '..%5c..%5csecret.txt'],
  ['has a NUL', 'reports/report.html%00.pdf'],
  ['is of the service', 'spec.json'],
  ['recognizes cases', 'known-cases.safetensors'],
  ['is hidden', 'reports/.report.html.0123.tmp'],
  ['is a folder', 'reports'],
  ['has an empty part', 'reports/%2freport.html'],
  ['is a link that leads out', 'reports/outside.html'],
  ['is a link to weights', 'reports/weights.html'],
  ['is behind a link to weights of another job', 'exports/other/best/checkpoint.json'],
  ['is behind a linked folder that leads out', 'artifacts/secret.txt'],
  ['is not there', 'reports/none.pdf'],
  ['is too long for a name', `reports/${'n'.repeat(400)}.pdf`],
])('a file that %s is not found', async (_, path) => {
  // Sent unchanged: no client normalizes the address.
  const { port } = new URL(service.address)
  const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    request(
      { port, host: '127.0.0.1', path: `${files}/${path}`, headers: { host: `127.0.0.1:${port}` } },
      (response) => {
        let text = ''
        response.on('data', (piece) => {
          text += piece
        })
        response.on('end', () => resolve({ status: response.statusCode, text }))
      },
    )
      .on('error', reject)
      .end()
  })
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([404, 'RUN_FILE_NOT_FOUND'])
})

test.each([
  ['POST', '/api/models/none/evaluate', {}],
  ['POST', '/api/models/none/export', {}],
  ['POST', '/api/models/compare', { models: ['resnet18_gated_001', 'none'] }],
] as const)('%s %s in the background is refused at once', async (method, url, payload) => {
  const response = await service.app.inject({ method, url: `${url}?wait=false`, payload })
  expect([response.statusCode, response.json().code]).toEqual([404, 'MODEL_NOT_FOUND'])
  expect((await service.get('/api/tasks')).tasks).toEqual([])
})

test('results of evaluations are downloaded without small counts of subgroups, other files as they are', async () => {
  // A job of this test only: these files would be in the lists of the other job.
  const [, own] = service.jobs
  const group = (name: string, cases: number, events: number) => ({
    ...{ column: 'site', group: name, cases, patients: cases, events, metrics: { auc: 0.8 }, reason: null },
  })
  const small = JSON.stringify({ split: 'test', subgroups: [group('a', 50, 20), group('b', 40, 3)] })
  const large = JSON.stringify({ split: 'test', subgroups: [group('a', 50, 20), group('b', 40, 13)] })
  for (const [file, content] of [
    ['evaluations/two/evaluation.json', small],
    ['evaluations/two/other.json', small],
    ['metrics/validation.json', small],
    ['metrics/held-out.json', large],
    ['evaluations/three/evaluation.json', small.slice(0, -1)],
  ] as const)
    service.write(service.run(own, file), content)
  symlinkSync(service.run(own, 'metrics/validation.json'), service.run(own, 'reports/linked.json'))
  const fileOf = (file: string) => get(`/api/training/${own}/files/${file}`)
  for (const file of ['evaluations/two/evaluation.json', 'metrics/validation.json', 'reports/linked.json']) {
    const response = await fileOf(file)
    expect(response.headers['content-type']).toBe('application/json')
    expect(response.headers['content-length']).toBe(String(response.rawPayload.length))
    const { split, subgroups } = response.json()
    expect([split, ...subgroups.map(({ events }: { events: number | null }) => events)]).toEqual([
      ...['test', null, null],
    ])
  }
  expect((await fileOf('evaluations/two/other.json')).body).toBe(small)
  expect((await fileOf('metrics/held-out.json')).body).toBe(large)
  // A damaged file contains its counts as well.
  expect((await fileOf('evaluations/three/evaluation.json')).json().code).toBe('RUN_FILE_NOT_FOUND')
})
