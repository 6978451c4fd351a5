/** @module-tag service */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type ExchangeOrder, RESERVE_BYTES, TrainingConfig } from '@medloom/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testPython } from '../../../../testing/python.js'
import { startTestService } from '../../../../testing/service.js'
import { describeExchange, type ExchangeSubject } from '../../../../testing/training/exchange-contract.js'
import { exchangeOf } from '../../../../testing/training/exchange-of.js'
import { childEnvironment } from '../../../child-environment.js'
import type { TrainerSource } from '../../../ports/launcher.js'
import { RunDirectory } from '../../../storage/run-directory.js'
import { trainerCommand } from '../../trainer-command.js'

const python = testPython()
let service: Awaited<ReturnType<typeof startTestService>>
beforeAll(async () => {
  const worker = join(import.meta.dirname, '../../../../testing/node-worker.mjs')
  service = await startTestService({ exchange: 'http', python: worker })
})
afterAll(async () => {
  await service.close()
  rmSync(dirname(service.root), { recursive: true, force: true })
})

const requestWith = (source: TrainerSource, path: string, init: RequestInit = {}) =>
  fetch(source.spec + path, {
    ...init,
    headers: { authorization: `Bearer ${source.token}`, ...init.headers },
  })

/** Sends a folder like the companion process of a trainer, one step at a time. */
class MirrorProcess {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(jobId: string, attempt: number, source: TrainerSource, folder: string) {
    const resources = { nodes: 1, processes: 1, cpus: 1, gpus: 0 }
    const { environment } = trainerCommand(python ?? '', { job_id: jobId, attempt, resources, ...source })
    const program = join(import.meta.dirname, '../../../../testing/training/mirror.py')
    this.#child = spawn(python ?? '', [program, folder], {
      env: { ...childEnvironment(), ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })[
      Symbol.asyncIterator
    ]()
  }

  async says(): Promise<string> {
    return (await this.#lines.next()).value
  }

  /** @param killed a thread of the process that dies at its start */
  async send(killed = ''): Promise<string> {
    this.#child.stdin?.write(`${killed}\n`)
    return this.says()
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }
}

async function httpSubject(): Promise<ExchangeSubject> {
  const jobId = randomUUID()
  const { exchange, files } = exchangeOf(service, jobId)
  const there = new RunDirectory(join(service.settings.dataDir, 'node', jobId))
  for (const path of [there.log, there.result]) mkdirSync(dirname(path), { recursive: true })
  let mirror: MirrorProcess | undefined
  const putSpec = exchange.putSpec.bind(exchange)
  exchange.putSpec = async (run) => {
    const source = await putSpec(run)
    mirror?.close()
    mirror = new MirrorProcess(jobId, run.attempt, source, there.path)
    expect(await mirror.says()).toBe('ready')
    return source
  }
  const sent = async () => expect(await mirror?.send()).toBe('sent')
  return {
    exchange,
    jobId,
    trainer: {
      readSpec: async (source) => {
        for (let attempt = 1; ; attempt++) {
          const response = await requestWith(source, `/api/exchange/${jobId}/${attempt}`)
          if (response.ok) return ((await response.json()) as ExchangeOrder).spec
          if (attempt > 3) throw new Error('the token opens no attempt')
        }
      },
      readControl: async (attempt) => {
        await sent()
        const path = there.control(attempt)
        return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
      },
      hasReserve: (attempt) =>
        existsSync(files.reserve(attempt)) && statSync(files.reserve(attempt)).size === RESERVE_BYTES,
      writeEvents: (attempt, text) => {
        appendFileSync(there.events(attempt), text)
        return sent()
      },
      writeResources: (attempt, text) => {
        appendFileSync(there.resources(attempt), text)
        return sent()
      },
      writeResult: (event) => {
        writeFileSync(there.result, JSON.stringify(event))
        return sent()
      },
      writeLog: (text) => {
        appendFileSync(there.log, text)
        return sent()
      },
      writeCheckpoint: (name, manifest) => {
        mkdirSync(there.checkpoint(name), { recursive: true })
        writeFileSync(join(there.checkpoint(name), 'checkpoint.json'), JSON.stringify(manifest))
        return sent()
      },
    },
    close: () => mirror?.close(),
  }
}

if (python) describeExchange('HttpExchange', httpSubject)
else it.skip('the exchange contract needs the trainer', () => undefined)

const config = () =>
  TrainingConfig.parse({
    data: { train_csv: join(service.root, 'train.csv') },
    model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
    training: { epochs: 1, batch_size: 2 },
  })

describe('the exchange over HTTP', () => {
  const begin = async (attempt = 1, jobId: string = randomUUID()) => {
    const { exchange, files } = exchangeOf(service, jobId)
    const source = await exchange.putSpec({ job_name: 'a', attempt, config: config(), resumed_from: null })
    const base = `/api/exchange/${jobId}/${attempt}`
    const send = async (method: string, path: string, body?: object | string, given = source) => {
      const isText = typeof body === 'string'
      const response = await requestWith(given, base + path, {
        method,
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
        headers: { 'content-type': isText ? 'application/octet-stream' : 'application/json' },
      })
      return { status: response.status, body: JSON.parse(await response.text()) as Record<string, unknown> }
    }
    return { exchange, files, source, send, jobId }
  }

  it('accepts only the token of the attempt, and stores only its digest', async () => {
    const { send, source, files } = await begin()
    expect(await send('GET', '')).toMatchObject({ status: 200, body: { streams: { events: 0, log: 0 } } })
    for (const token of ['', 'x'.repeat(43)])
      expect(await send('GET', '', undefined, { ...source, token })).toMatchObject({
        status: 401,
        body: { code: 'UNAUTHORIZED' },
      })
    expect(readFileSync(files.exchange(1), 'utf8')).not.toContain(source.token)
  })

  it('refuses requests without a token before the body arrives, and neither parses nor stores it', async () => {
    const { send, source, jobId, files } = await begin()
    const stranger = { ...source, token: 'x'.repeat(43) }
    for (const path of ['/heartbeat', '/files', '/data/facts', '/data/files'])
      expect((await send('POST', path, '{', stranger)).status).toBe(401)
    for (const [method, path] of [
      ['POST', '/heartbeat'],
      ['PUT', '/streams/events?offset=0'],
    ] as const)
      expect(await statusOfUnfinished(method, `${source.spec}/api/exchange/${jobId}/1${path}`)).toBe(401)
    expect(existsSync(files.events(1))).toBe(false)
  })

  it('accepts nothing of an attempt once a newer one begins, or it has ended', async () => {
    const old = await begin()
    const next = await begin(2, old.jobId)
    const ended = { status: 400, body: { code: 'ATTEMPT_ENDED' } }
    expect(await old.send('PUT', '/streams/events?offset=0', 'late\n')).toMatchObject(ended)
    expect(await old.send('POST', '/heartbeat', { heartbeat: null })).toMatchObject(ended)
    expect(await next.send('PUT', '/streams/events?offset=0', 'a\n')).toMatchObject({ body: { offset: 2 } })
    await next.exchange.end(2)
    expect(await next.send('PUT', '/streams/events?offset=2', 'b\n')).toMatchObject(ended)
    expect(readFileSync(next.files.events(2), 'utf8')).toBe('a\n')
  })

  it('stores each byte of a stream once, however often it is sent', async () => {
    const { send, files } = await begin()
    const put = (offset: number, text: string) => send('PUT', `/streams/events?offset=${offset}`, text)
    expect((await put(0, 'one\ntwo\n')).body).toEqual({ offset: 8 })
    expect((await put(0, 'one\ntwo\n')).body).toEqual({ offset: 8 })
    expect((await put(4, 'two\nthree\n')).body).toEqual({ offset: 14 })
    expect(await put(20, 'late\n')).toMatchObject({ status: 400, body: { code: 'UPLOAD_OFFSET' } })
    expect(readFileSync(files.events(1), 'utf8')).toBe('one\ntwo\nthree\n')
  })

  it('keeps a log short, with constant positions and gaps where the node has no data', async () => {
    const { send, exchange } = await begin()
    const line = `${'x'.repeat(99)}\n`
    let offset = 0
    for (let piece = 0; piece < 16; piece++) {
      const text = line.repeat(5000)
      offset = Number((await send('PUT', `/streams/log?offset=${offset}`, text)).body.offset)
    }
    expect(offset).toBe(8_000_000)
    expect(await send('PUT', '/streams/log?offset=9000000', 'after the gap\n')).toMatchObject({
      body: { offset: 9_000_014 },
    })
    expect(await send('PUT', '/streams/log?offset=9000014', 'the end\n')).toMatchObject({ status: 200 })
    expect(await exchange.log(0, 5)).toMatchObject({ offset: 0, text: 'xxxxx' })
    expect((await exchange.log(2_100_000, 5)).offset).toBeGreaterThan(2_100_000)
    expect(await exchange.log(8_500_000, 100)).toMatchObject({
      offset: 9_000_000,
      text: 'after the gap\nthe end\n',
    })
  })

  it.each(['files', 'streams', 'beat'])(
    'has no result if not everything arrived: the thread %s died',
    async (thread) => {
      const { jobId, source, files, exchange } = await begin()
      const there = new RunDirectory(join(service.settings.dataDir, 'node', jobId))
      mkdirSync(there.checkpoint('best'), { recursive: true })
      const line = '{"type":"epoch_end"}\n{"type":"completed"}\n'
      writeFileSync(there.events(1), line)
      writeFileSync(there.result, '{}')
      const mirror = new MirrorProcess(jobId, 1, source, there.path)
      expect(await mirror.says()).toBe('ready')
      expect(await mirror.send(thread)).toBe('ended')
      expect(existsSync(files.result)).toBe(false)
      // The other threads continue until they notice its end: their data has arrived meanwhile.
      if (thread === 'streams') expect(await exchange.hasEvents(1)).toBe(false)
      expect(await mirror.send()).toBe('sent')
      expect(readFileSync(files.events(1), 'utf8')).toBe(line)
      expect(existsSync(files.result)).toBe(true)
      mirror.close()
    },
  )

  it('moves a file to its path once it is complete, and refuses other content', async () => {
    const { send, files } = await begin()
    const path = 'metrics/metrics.json'
    const announce = (text: string, sha256 = digestOf(text)) =>
      send('POST', '/files', { path, size_bytes: text.length, sha256 })
    expect((await announce('hello world')).body).toEqual({ placed: false, offset: 0 })
    await send('PUT', `/files/${digestOf('hello world')}?offset=0`, 'hello ')
    expect((await announce('hello world')).body).toEqual({ placed: false, offset: 6 })
    expect(existsSync(files.metrics)).toBe(false)
    await send('PUT', `/files/${digestOf('hello world')}?offset=6`, 'world')
    expect((await announce('hello world')).body).toEqual({ placed: true, offset: 11 })
    expect((await announce('hello world')).body).toEqual({ placed: true, offset: 11 })
    const wrong = digestOf('other')
    await announce('HELLO', wrong)
    await send('PUT', `/files/${wrong}?offset=0`, 'HELLO')
    expect(await announce('HELLO', wrong)).toMatchObject({ status: 400, body: { code: 'UPLOAD_DIGEST' } })
    expect(await send('PUT', `/files/${wrong}?offset=0`, 'HELLO!!')).toMatchObject({ status: 400 })
    expect(readFileSync(files.metrics, 'utf8')).toBe('hello world')
  })

  it('continues from the file that a longer one extends, and verifies all of it', async () => {
    const { send, files } = await begin()
    const facts = (text: string) => ({ size_bytes: text.length, sha256: digestOf(text) })
    const announce = (text: string, before?: string) =>
      send('POST', '/files', {
        path: 'metrics/metrics.json',
        ...facts(text),
        extends: before === undefined ? null : facts(before),
      })
    await announce('one\n')
    await send('PUT', `/files/${digestOf('one\n')}?offset=0`, 'one\n')
    await announce('one\n')
    expect((await announce('one\ntwo\n', 'ONE\n')).body).toEqual({ placed: false, offset: 0 })
    expect((await announce('one\nthree\n', 'one\n')).body).toEqual({ placed: false, offset: 4 })
    expect(readFileSync(files.metrics, 'utf8')).toBe('one\n')
    await send('PUT', `/files/${digestOf('one\nthree\n')}?offset=4`, 'three\n')
    expect((await announce('one\nthree\n', 'one\n')).body).toEqual({ placed: true, offset: 10 })
    expect(readFileSync(files.metrics, 'utf8')).toBe('one\nthree\n')
  })

  it.each([
    ['spec.json'],
    ['config.yaml'],
    ['exchange.1.json'],
    ['events.2/a.json'],
    ['control.1.json'],
    ['reports/report.html'],
    ['checkpoints/../spec.json'],
    ['checkpoints/best/../../../x'],
    ['/etc/passwd'],
    ['checkpoints/.hidden'],
    ['metrics/a\u0000b'],
  ])('accepts no %j from a node', async (path) => {
    const { send } = await begin()
    const announced = { path, size_bytes: 1, sha256: digestOf('x') }
    expect(await send('POST', '/files', announced)).toMatchObject({
      status: 400,
      body: { code: expect.stringMatching(/PATH_NOT_ALLOWED|INVALID_REQUEST/) },
    })
  })

  it('serves only files that the training names, nothing else of the roots and the data folder', async () => {
    writeFileSync(join(service.root, 'train.csv'), 'label\n1\n')
    writeFileSync(join(service.root, 'other.csv'), 'label\n1\n')
    writeFileSync(join(service.settings.dataDir, 'secret.txt'), 'secret')
    const { send, source, jobId } = await begin()
    const files = [
      { root: 'root', path: 'train.csv' },
      { root: 'root', path: '../data/secret.txt' },
      { root: '@data', path: 'secret.txt' },
      { root: '@data', path: 'medloom.db' },
      { root: 'root', path: 'other.csv' },
      { root: 'unknown', path: 'train.csv' },
      { root: 'root', path: '' },
    ]
    const { facts } = (await send('POST', '/data/facts', { files })).body as { facts: unknown[] }
    expect(facts[0]).toMatchObject({ size_bytes: 8 })
    expect(facts.slice(1, 6)).toEqual([null, null, null, null, null])
    expect(facts[6]).toEqual({
      files: { 'train.csv': expect.objectContaining({ size_bytes: 8 }) },
      folders: [],
    })
    const response = await requestWith(source, `/api/exchange/${jobId}/1/data/files`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ files: [...files.slice(0, 3), { ...files[0], offset: 6 }] }),
    })
    const lines = (await response.text()).split('\n')
    expect(lines.slice(1, 6)).toEqual([
      'label',
      '1',
      digestOf('label\n1\n'),
      '{"missing":true}',
      '{"missing":true}',
    ])
    expect(lines.slice(7, 9)).toEqual(['1', digestOf('label\n1\n')])
  })
})

/** Status of a request whose body never ends. */
function statusOfUnfinished(method: string, address: string): Promise<number | undefined> {
  return new Promise((done, fail) => {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': 1000 }
    const sent = request(address, { method, headers, timeout: 5000 }, (response) => {
      done(response.statusCode)
      sent.destroy()
    })
    sent.once('timeout', () => sent.destroy(new Error('it waits for the body'))).once('error', fail)
    sent.write('{')
  })
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
