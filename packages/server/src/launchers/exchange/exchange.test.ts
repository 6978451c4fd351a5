import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RESERVE_BYTES, TrainingConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { describeExchange, type ExchangeSubject } from '../../../testing/training/exchange-contract.js'
import { MemoryExchange } from '../../../testing/training/memory-exchange.js'
import { AppError } from '../../errors.js'
import { RunDirectory } from '../../storage/run-directory.js'
import { environmentFault } from '../../training/scheduling/environment-fault.js'
import { fileExchanges } from './file-exchange.js'

const CONFIG = {
  data: { train_csv: '/data/train.csv' },
  model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
  training: { epochs: 2, batch_size: 4 },
}

async function fileSubject(): Promise<ExchangeSubject & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-exchange-'))
  const jobId = randomUUID()
  const run = (id: string) => new RunDirectory(join(folder, 'runs', id))
  const files = run(jobId)
  const exchange = fileExchanges({ folder: { run, cache: join(folder, 'cache') }, roots: [folder] })(jobId)
  return {
    folder,
    exchange,
    jobId,
    trainer: {
      readSpec: ({ spec }) => JSON.parse(readFileSync(spec, 'utf8')),
      readControl: (attempt) =>
        existsSync(files.control(attempt)) ? JSON.parse(readFileSync(files.control(attempt), 'utf8')) : null,
      hasReserve: (attempt) =>
        existsSync(files.reserve(attempt)) && statSync(files.reserve(attempt)).size === RESERVE_BYTES,
      writeEvents: (attempt, text) => appendFileSync(files.events(attempt), text),
      writeResources: (attempt, text) => appendFileSync(files.resources(attempt), text),
      writeResult: (event) => writeFileSync(files.result, JSON.stringify(event)),
      writeLog: (text) => appendFileSync(files.log, text),
      writeCheckpoint: (name, manifest) => {
        mkdirSync(files.checkpoint(name), { recursive: true })
        writeFileSync(join(files.checkpoint(name), 'checkpoint.json'), JSON.stringify(manifest))
      },
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

describeExchange('FileExchange', fileSubject)

it('while the folder of a run is unavailable, its end is unknown', async () => {
  const away = new AppError('DATA_FOLDER_MISSING', { english: 'there is no data folder' })
  const exchange = fileExchanges({
    folder: { run: (id) => new RunDirectory(`/nowhere/${id}`), cache: '/nowhere/cache' },
    roots: [],
    confirm: () => Promise.reject(away),
  })('a')
  await expect(exchange.result(1)).rejects.toBe(away)
  await expect(exchange.missing(1, 0)).rejects.toBe(away)
})

describeExchange('an exchange in memory', async () => {
  const exchange = new MemoryExchange('/runs/a')
  return {
    exchange,
    jobId: randomUUID(),
    trainer: {
      readSpec: () => ({ job_name: exchange.spec?.job_name ?? '', attempt: exchange.spec?.attempt ?? 0 }),
      readControl: (attempt) => {
        const request = exchange.control.get(attempt)
        return request === undefined ? null : { request }
      },
      hasReserve: (attempt) => exchange.reserves.has(attempt),
      writeEvents: (attempt, text) => exchange.writeEvents(attempt, text),
      writeResources: (attempt, text) => exchange.writeResources(attempt, text),
      writeResult: (event) => exchange.writeResult(event),
      writeLog: (text) => exchange.writeLog(text),
      writeCheckpoint: (name, manifest) => exchange.writeCheckpoint(name, manifest),
    },
    close: () => undefined,
  }
})

describe('the files of a run', () => {
  it('contain the report texts in config.yaml, but not in the input of the trainer', async () => {
    const { exchange, trainer, folder, jobId, close } = await fileSubject()
    const config = (report?: object) => TrainingConfig.parse({ ...CONFIG, ...(report ? { report } : {}) })
    const specOf = async (report?: object) =>
      trainer.readSpec(
        await exchange.putSpec({ job_name: 'a', attempt: 1, config: config(report), resumed_from: null }),
      )
    expect(await specOf({ ethics: 'No. 12/34' })).toEqual(await specOf())
    await specOf({ ethics: 'No. 12/34' })
    const yaml = readFileSync(new RunDirectory(join(folder, 'runs', jobId)).config, 'utf8')
    expect(yaml).toMatch(/^report:\n {2}ethics: No. 12\/34/m)
    close()
  })
})

describe('the end of a job', () => {
  const PARTIAL = 'checkpoints/best/.model.x1y2z3_4'

  it.each([
    ['whose only trainer ended by itself leaves the run as it is', 1, true, true],
    ['whose trainer was killed removes what that left half-written', 1, false, false],
    ['whose trainer followed one that was killed removes what that one left', 2, true, false],
  ])('%s', async (_, attempt, hasResult, stays) => {
    const { folder, jobId, exchange, close } = await fileSubject()
    const run = new RunDirectory(join(folder, 'runs', jobId))
    mkdirSync(run.checkpoint('best'), { recursive: true })
    writeFileSync(join(run.path, PARTIAL), 'half')
    const line = { schema_version: 1, type: 'error', job_id: jobId, attempt, seq: 1, epoch: 0 }
    const error = { code: 'DISK_FULL', message: '', details: '', trace: null }
    const timestamp = '2026-01-02T03:04:05.000Z'
    if (hasResult) writeFileSync(run.result, JSON.stringify({ ...line, timestamp, ...error }))
    await exchange.end(attempt)
    expect(existsSync(join(run.path, PARTIAL))).toBe(stays)
    close()
  })
})

describe('the exchange of a replaced service', () => {
  it('does not change files of its successor', async () => {
    const { folder, jobId, close } = await fileSubject()
    const run = (id: string) => new RunDirectory(join(folder, 'runs', id))
    const shared = { folder: { run, cache: join(folder, 'cache') }, roots: [folder] }
    const order = { job_name: 'a', attempt: 1, config: TrainingConfig.parse(CONFIG), resumed_from: null }
    await fileExchanges(shared)(jobId).putSpec(order)
    const before = contentOf(run(jobId).path)
    const replaced = new Error('another process is the controller')
    const late = fileExchanges({ ...shared, confirm: () => Promise.reject(replaced) })(jobId)
    for (const change of [
      () => late.putSpec({ ...order, job_name: 'late' }),
      () => late.sendRequest(1, 'stop'),
      () => late.freeReserve(1),
      () => late.end(1),
    ])
      await expect(change()).rejects.toBe(replaced)
    expect(contentOf(run(jobId).path)).toEqual(before)
    close()
  })

  const contentOf = (folder: string) =>
    readdirSync(folder)
      .sort()
      .map((name) => [name, statSync(join(folder, name)).mtimeMs, statSync(join(folder, name)).ino])
})

describe('a full disk before a trainer is started', () => {
  const mounted = (folder: string) => {
    const mounting = ['-t', 'tmpfs', '-o', `size=${RESERVE_BYTES / 2}`, 'tmpfs', folder]
    return spawnSync('mount', mounting).status === 0
  }

  it('refuses its order at once, and releases the reserve', async ({ skip }) => {
    const { exchange, folder, jobId, close } = await fileSubject()
    const { path } = new RunDirectory(join(folder, 'runs', jobId))
    mkdirSync(path, { recursive: true })
    if (!mounted(path)) skip('needs the right to mount a tmpfs')
    try {
      const config = TrainingConfig.parse(CONFIG)
      const order = exchange.putSpec({ job_name: 'a', attempt: 1, config, resumed_from: null })
      const refusal = await order.then(
        () => null,
        (error) => error,
      )
      expect(environmentFault(refusal)).toMatchObject({ code: 'DISK_FULL' })
      expect(readdirSync(path).filter((name) => name.startsWith('reserve') || name === 'spec.json')).toEqual(
        [],
      )
    } finally {
      spawnSync('umount', [path])
      close()
    }
  })
})

describe('the spec in a run directory', () => {
  it('names every path as the trainer sees it, including the checkpoint to resume', async () => {
    const { exchange, folder, jobId, close } = await fileSubject()
    const resumed_from = randomUUID()
    const config = TrainingConfig.parse(CONFIG)
    const { spec } = await exchange.putSpec({ job_name: 'again', attempt: 1, config, resumed_from })
    expect(JSON.parse(readFileSync(spec, 'utf8'))).toMatchObject({
      job_id: jobId,
      run_dir: join(folder, 'runs', jobId),
      cache_dir: join(folder, 'cache'),
      roots: [folder],
      resume_from: join(folder, 'runs', resumed_from, 'checkpoints/last'),
    })
    close()
  })

  it('lets a later attempt continue from the checkpoints of earlier ones, if any', async () => {
    const { exchange, folder, jobId, trainer, close } = await fileSubject()
    const config = TrainingConfig.parse(CONFIG)
    const resumeFrom = async (attempt: number) => {
      const { spec } = await exchange.putSpec({ job_name: 'again', attempt, config, resumed_from: null })
      return JSON.parse(readFileSync(spec, 'utf8')).resume_from
    }
    expect(await resumeFrom(1)).toBeNull()
    expect(await resumeFrom(2)).toBeNull()
    trainer.writeCheckpoint('last', { attempt: 2 } as never)
    expect(await resumeFrom(3)).toBe(join(folder, 'runs', jobId, 'checkpoints/last'))
    close()
  })

  it('names the baselines to fit, with the inferred ones if the configuration names none', async () => {
    const { exchange, trainer, close } = await fileSubject()
    const baselinesOf = async (given: object) => {
      const config = TrainingConfig.parse({ ...CONFIG, ...given })
      const order = { job_name: 'a', attempt: 1, config, resumed_from: null }
      return trainer.readSpec(await exchange.putSpec(order))
    }
    expect(await baselinesOf({})).toMatchObject({ baselines: ['logistic_regression', 'random_forest'] })
    expect(await baselinesOf({ baselines: ['image_only'] })).toMatchObject({ baselines: ['image_only'] })
    close()
  })
})

describe('a run directory while its trainer runs', () => {
  it('returns the heartbeat of the attempt, and ignores invalid ones', async () => {
    const { exchange, folder, jobId, close } = await fileSubject()
    const config = TrainingConfig.parse(CONFIG)
    await exchange.putSpec({ job_name: 'a', attempt: 1, config, resumed_from: null })
    expect(await exchange.heartbeat(1)).toBeNull()
    const beat = {
      process: 'process 7 on gpu-3',
      steps: 3,
      doing: 'preparing',
      at: '2026-01-02T03:04:05.000Z',
      patience_seconds: 60,
    }
    const file = new RunDirectory(join(folder, 'runs', jobId)).heartbeat(1)
    writeFileSync(file, `${JSON.stringify(beat).padEnd(511)}\n`)
    expect(await exchange.heartbeat(1)).toEqual(beat)
    expect(await exchange.heartbeat(2)).toBeNull()
    writeFileSync(file, '{"process": "p')
    expect(await exchange.heartbeat(1)).toBeNull()
    close()
  })

  it('reports nothing while all files exist, and names a removed one', async () => {
    const { exchange, folder, jobId, trainer, close } = await fileSubject()
    const run = new RunDirectory(join(folder, 'runs', jobId))
    const [{ path, spec }, events] = [run, run.events(1)]
    const config = TrainingConfig.parse(CONFIG)
    await exchange.putSpec({ job_name: 'a', attempt: 1, config, resumed_from: null })
    expect(await exchange.missing(1, 0)).toBeNull()
    trainer.writeEvents(1, '{}\n')
    expect(await exchange.missing(1, 3)).toBeNull()
    rmSync(events)
    expect([await exchange.missing(1, 0), (await exchange.missing(1, 3))?.english]).toEqual([
      null,
      `the event file of the run (${events})`,
    ])
    rmSync(spec)
    expect((await exchange.missing(1, 0))?.english).toBe(`the specification of the run (${spec})`)
    rmSync(path, { recursive: true })
    expect((await exchange.missing(1, 0))?.english).toBe(`the run directory (${path})`)
    close()
  })
})
