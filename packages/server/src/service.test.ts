/** @module-tag service */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { PATIENCE } from '../../../scripts/testing/patience.mjs'
import { testPython } from '../testing/python.js'
import { pythonWithoutLibraries } from '../testing/python-without-libraries.js'
import { startTestService, testSettings } from '../testing/service.js'
import { serviceProgram } from '../testing/service-program.js'
import { until } from '../testing/training/until.js'
import { workerProgram } from '../testing/worker-program.js'
import { startService } from './service.js'

const TOKEN = 'a-long-enough-token'

describe('starting', () => {
  test('a second service on one data folder is refused, the first one continues', async () => {
    const first = await startTestService()
    await expect(startService({ ...first.settings })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining(first.address),
    })
    expect((await first.app.inject({ url: '/api/system/health' })).statusCode).toBe(200)
    await first.close()
    await (await startService(first.settings)).close()
  })

  test('on filled runs without a database is refused', async () => {
    const settings = testSettings()
    mkdirSync(join(settings.dataDir, 'runs', 'a'), { recursive: true })
    await expect(startService(settings)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('medloom.db is missing'),
    })
    expect(existsSync(join(settings.dataDir, 'medloom.db'))).toBe(false)
  })

  test('a port in use is refused, and the data folder is released', async () => {
    const first = await startTestService()
    const second = testSettings({ port: Number(new URL(first.address).port) })
    await expect(startService(second)).rejects.toMatchObject({ remedy: expect.stringContaining('--port') })
    await first.close()
    await (await startService({ ...second, port: 0 })).close()
  })

  test.each([
    ['garbage', 'no database', 'DATABASE_DAMAGED'],
    ['truncated', null, 'DATABASE_DAMAGED'],
  ])('a database that is %s is refused with a remedy', async (_case, content, code) => {
    const { settings, close } = await startTestService()
    await close()
    const file = join(settings.dataDir, 'medloom.db')
    if (content === null) truncateSync(file, 5000)
    else writeFileSync(file, content.repeat(1000))
    await expect(startService(settings)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining(code),
      remedy: expect.stringContaining('restore medloom.db'),
    })
  })

  test('a database that cannot be opened, or cannot be written, is refused', async () => {
    const { settings, close } = await startTestService()
    await close()
    const file = join(settings.dataDir, 'medloom.db')
    // The administrator may write every file, so the database itself refuses.
    const database = new Libsql(file)
    database.exec("CREATE TRIGGER t BEFORE UPDATE ON counters BEGIN SELECT RAISE(ABORT, 'denied'); END")
    database.close()
    await expect(startService(settings)).rejects.toThrow('denied')
    rmSync(file)
    mkdirSync(file)
    await expect(startService(settings)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('STORAGE_DENIED'),
    })
  })

  test('an address that other machines reach needs a token before anything is opened', async () => {
    const settings = testSettings({ host: '0.0.0.0' })
    await expect(startService(settings)).rejects.toMatchObject({ name: 'StartError' })
    expect(existsSync(settings.dataDir)).toBe(false)
  })
})

test('with a token every address except the pages of the interface requires it, sockets and unknown addresses included', async () => {
  const settings = testSettings()
  const tokenFile = join(settings.roots[0] ?? '', 'token')
  writeFileSync(tokenFile, TOKEN)
  const service = await startService({ ...settings, tokenFile })
  const status = async (path: string, headers = {}) => {
    const answer = await fetch(service.address + path, { headers })
    await answer.arrayBuffer()
    return answer.status
  }
  for (const path of [
    '/api/models',
    '/metrics',
    '/nothing',
    '/docs/../api/models',
    '/docs/%2e%2e/api/models',
    '/docs/nothing',
    `/api/models?token=${TOKEN}`,
  ])
    expect(await status(path)).toBe(401)
  expect(await status('/')).not.toBe(401)
  const page = await fetch(`${service.address}/docs`)
  expect(page.status).toBe(200)
  const references = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, path]) => path ?? '',
  )
  for (const path of [...references, '/openapi.json', '/docs/json']) expect(await status(path)).toBe(200)
  expect(await status('/docs', { origin: 'null' })).toBe(400)
  expect((await fetch(`${service.address}/docs`, { method: 'POST' })).status).toBe(401)
  const refused = await fetch(`${service.address}/api/models`)
  expect(refused.headers.get('www-authenticate')).toContain('Bearer')
  expect(await refused.json()).toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await status('/api/models', { authorization: `Bearer ${TOKEN}` })).toBe(200)

  const upgrade = (query: string, headers = {}) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${service.address.replace('http', 'ws')}/ws/training/x${query}`, {
        headers,
      })
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode))
      socket.on('error', () => {})
    })
  expect(await upgrade('')).toBe(401)
  // Admitted by the guard, refused because the job does not exist.
  expect(await upgrade('', { authorization: `Bearer ${TOKEN}` })).toBe(404)
  expect(await upgrade(`?token=${TOKEN}`)).toBe(404)
  await service.close()
})

test('closing does not wait for an endless task: its request is answered with an error', async () => {
  const settings = testSettings()
  const root = settings.roots[0] ?? ''
  writeFileSync(join(root, 'a.csv'), 'label\n')
  // The requests of the service to its workers at the start are refused.
  const refuse = "{ type: 'error', id: request.id, code: 'X', message: '', details: '', trace: null }"
  const taken = join(root, 'taken')
  const python = workerProgram(
    root,
    `if (request.task === 'inspect') fs.writeFileSync(${JSON.stringify(taken)}, '')
     else reply(${refuse})`,
  )
  const service = await startService({ ...settings, python })
  const response = fetch(`${service.address}/api/datasets/inspect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path: 'a.csv' }),
  })
  await until(() => existsSync(taken))
  // The task never ends, so a close that waits for it would not end either.
  await service.close()
  const answer = await response
  expect(answer.status).toBe(500)
  expect(await answer.json()).toMatchObject({ error: expect.any(String), code: 'TRAINER_FAILED' })
})

test('closing does not wait for a client that does not read its response', async () => {
  const service = await startTestService()
  const { hostname, port } = new URL(service.address)
  let served: Socket | undefined
  service.app.server.once('connection', (socket: Socket) => {
    served = socket
  })
  const silent = connect(Number(port), hostname)
  silent.on('error', () => undefined)
  silent.pause()
  // More than the buffers of both sides can hold.
  for (let request = 0; request < 8; request++)
    silent.write(`GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
  await until(() => (served?.writableLength ?? 0) > 0)
  // The client never reads, so a close that waits for it would not end either.
  await service.close()
  silent.destroy()
})

describe('as a process', () => {
  const start = (argv: string[], env: Record<string, string> = {}) =>
    spawn(process.execPath, [serviceProgram(), ...argv], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const collect = (stream: NodeJS.ReadableStream) => {
    const output = { text: '' }
    stream.on('data', (chunk) => {
      output.text += chunk
    })
    return output
  }

  test('it prints one plain line with the address, and ends with 0 on SIGTERM', async () => {
    const settings = testSettings()
    const child = start(['--port', '0', '--data-dir', settings.dataDir, '--python', settings.python])
    const output = collect(child.stdout)
    while (!output.text.includes('ready at')) await once(child.stdout, 'data')
    const plain = output.text.split('\n').filter((line) => line && !line.startsWith('{'))
    expect(plain).toEqual([expect.stringMatching(/^Medloom is ready at http:\/\/127\.0\.0\.1:\d+$/)])
    const address = plain[0]?.split(' ').at(-1)
    expect((await fetch(`${address}/api/system/health`)).status).toBe(200)
    expect(JSON.parse(readFileSync(join(settings.dataDir, 'service.json'), 'utf8'))).toMatchObject({
      pid: child.pid,
      address,
    })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(existsSync(join(settings.dataDir, 'service.json'))).toBe(false)
  })

  const python = testPython()
  test.skipIf(!python || process.platform !== 'linux')(
    'kill -9 of the service leaves no worker behind',
    async () => {
      const settings = testSettings()
      const interpreter = pythonWithoutLibraries(settings.roots[0] ?? '', python ?? '')
      const child = start(['--port', '0', '--data-dir', settings.dataDir, '--python', interpreter])
      const output = collect(child.stdout)
      while (!output.text.includes('ready at')) await once(child.stdout, 'data')
      const address = output.text.match(/ready at (\S+)/)?.[1]
      await fetch(`${address}/api/system/ready`)
      let workers: number[] = []
      await until(() => {
        workers = childrenOf(child.pid ?? 0)
        return ['prewarmed', 'worker'].every((kind) =>
          workers.some((pid) => commandOf(pid).split('\0').includes(kind)),
        )
      })
      child.kill('SIGKILL')
      await once(child, 'exit')
      const alive = () =>
        workers.filter((pid) => existsSync(`/proc/${pid}/exe`) && commandOf(pid).includes('medloom'))
      await until(() => alive().length === 0)
    },
    PATIENCE.serviceTest,
  )

  test('the reason why it cannot start is printed in two lines, without a trace, and the exit code is 1', async () => {
    const child = start(['--prot', '1'])
    const errors = collect(child.stderr)
    expect(await once(child, 'close')).toEqual([1, null])
    expect(errors.text).toBe('Medloom cannot start: unknown flag --prot.\nDid you mean --port?\n')
  })
})

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[1]) === parent
      } catch {
        return false
      }
    })
    .filter((pid) => commandOf(pid).includes('medloom_trainer'))
}

test('while the data folder is unavailable it is not created again, and jobs wait with that reason', async () => {
  const service = await startTestService()
  const { dataDir } = service.settings
  const csv = join(service.root, 'train.csv')
  writeFileSync(csv, 'label\n1\n')
  const get = async (url: string) => (await service.app.inject({ url })).json()
  renameSync(dataDir, `${dataDir}.away`)
  const started = await service.app.inject({
    method: 'POST',
    url: '/api/training/start',
    payload: {
      config: {
        data: { train_csv: csv },
        model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
        training: { epochs: 1, batch_size: 4, device: 'cpu' },
      },
    },
  })
  expect(started.json()).toMatchObject({ status: 'started' })
  const { job_id } = started.json()
  await until(async () => (await get('/api/system/health')).queue?.code === 'DATA_FOLDER_MISSING')
  expect(await get(`/api/training/${job_id}/status`)).toMatchObject({
    status: 'started',
    reason: expect.stringContaining('there is no data folder'),
  })
  expect((await get('/api/system/ready')).checks).toMatchObject({ disk: { ok: false }, queue: { ok: false } })
  expect(existsSync(dataDir)).toBe(false)
  renameSync(`${dataDir}.away`, dataDir)
  expect((await get('/api/system/ready')).checks.disk.message).not.toContain('no data folder')
  await service.close()
})

test('a workflow follows a root that was moved while no service was running', async () => {
  const first = await startTestService()
  writeFileSync(join(first.root, 'train.csv'), 'label\n1\n')
  const load = { id: 'load', type: 'LoadTable', position: { x: 0, y: 0 } }
  const created = await first.app.inject({
    method: 'POST',
    url: '/api/workflow/import',
    payload: {
      version: '1.0',
      metadata: { name: 'one' },
      nodes: [{ ...load, config: { path: join(first.root, 'train.csv') } }],
      connections: [],
    },
  })
  const { workflow_id } = created.json()
  await first.close()
  const moved = join(mkdtempSync(join(tmpdir(), 'medloom-moved-')), basename(first.root))
  renameSync(first.root, moved)
  const service = await startService({ ...first.settings, roots: [moved] })
  const { workflow } = (await service.app.inject({ url: `/api/workflow/${workflow_id}` })).json()
  expect(workflow.nodes[0].config.path).toBe(join(moved, 'train.csv'))
  await service.close()
})

test('on a disk that is full at the start, data can be listed and deleted', async ({
  skip,
  onTestFinished,
}) => {
  const disk = mountedDisk(onTestFinished)
  if (disk === null) return skip('this user may not mount a file system')
  const settings = testSettings({ dataDir: join(disk, 'data') })
  const first = await startService(settings)
  const created = await first.app.inject({
    method: 'POST',
    url: '/api/workflow/create',
    payload: { name: 'one' },
  })
  const { workflow_id } = created.json()
  await first.close()
  expect(() => writeFileSync(join(disk, 'filler'), Buffer.alloc(64 * 1024 ** 2))).toThrow('ENOSPC')
  const service = await startService(settings)
  const listed = await service.app.inject({ url: '/api/workflow' })
  expect(listed.json().workflows).toMatchObject([{ workflow_id }])
  const removed = await service.app.inject({ method: 'DELETE', url: `/api/workflow/${workflow_id}` })
  expect(removed.statusCode).toBe(200)
  await service.close()
  // Its own files used the reserved space.
  expect(() => writeFileSync(join(disk, 'filler2'), Buffer.alloc(64 * 1024 ** 2))).toThrow('ENOSPC')
  await expect(startService(settings)).rejects.toMatchObject({
    message: expect.stringContaining('DISK_FULL'),
    remedy: expect.stringContaining(join(settings.dataDir, 'cache')),
  })
})

/** A file system of 16 MiB, until the test has finished; null if this user may not mount one. */
function mountedDisk(onFinished: (unmount: () => void) => void): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder])
  if (status !== 0) return null
  onFinished(() => void spawnSync('umount', ['--lazy', folder]))
  return folder
}
