import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeExchange, type ExchangeSubject } from '../../../testing/training/exchange-contract.js'
import { MemoryExchange } from '../../../testing/training/memory-exchange.js'
import { runDirectory } from '../../storage/run-directory.js'
import { fileExchanges } from './file-exchange.js'

async function fileSubject(): Promise<ExchangeSubject & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-exchange-'))
  const jobId = randomUUID()
  const run = (id: string) => runDirectory(join(folder, 'runs', id))
  const files = run(jobId)
  const exchange = fileExchanges({ folder: { run, cache: join(folder, 'cache') }, roots: [folder] })(jobId)
  return {
    folder,
    exchange,
    jobId,
    trainer: {
      readSpec: (spec) => JSON.parse(readFileSync(spec, 'utf8')),
      readControl: (attempt) =>
        existsSync(files.control(attempt)) ? JSON.parse(readFileSync(files.control(attempt), 'utf8')) : null,
      writeEvents: (attempt, text) => appendFileSync(files.events(attempt), text),
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
      writeEvents: (attempt, text) => exchange.writeEvents(attempt, text),
      writeResult: (event) => exchange.writeResult(event),
      writeLog: (text) => exchange.writeLog(text),
      writeCheckpoint: (name, manifest) => exchange.writeCheckpoint(name, manifest),
    },
    close: () => undefined,
  }
})

describe('the spec in a run directory', () => {
  it('names every place as the trainer sees it, the checkpoint to continue from included', async () => {
    const { exchange, folder, jobId, close } = await fileSubject()
    const resumed_from = randomUUID()
    const config = { data: {}, model: {}, training: {} } as never
    const place = await exchange.putSpec({ job_name: 'again', attempt: 1, config, resumed_from })
    expect(JSON.parse(readFileSync(place, 'utf8'))).toMatchObject({
      job_id: jobId,
      run_dir: join(folder, 'runs', jobId),
      cache_dir: join(folder, 'cache'),
      roots: [folder],
      resume_from: join(folder, 'runs', resumed_from, 'checkpoints/last'),
    })
    close()
  })
})
