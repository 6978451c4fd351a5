import { type TrainerEvent, TrainingConfig } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TrainerSource } from '../../src/ports/launcher.js'
import type { RunExchange, RunSpec } from '../../src/ports/run-exchange.js'
import type { Manifest } from '../../src/storage/checkpoints.js'
import { until } from './until.js'

interface FoundSpec {
  job_name: string
  attempt: number
  config?: object
}

/** The exchange of one run, and the trainer's side of it. */
export interface ExchangeSubject {
  readonly exchange: RunExchange
  readonly jobId: string
  readonly trainer: {
    /** The spec of a trainer that is started with this source. */
    readSpec(source: TrainerSource): Promise<FoundSpec> | FoundSpec
    readControl(attempt: number): unknown | Promise<unknown>
    /** Returns true if disk space is reserved for the end of the attempt. */
    hasReserve(attempt: number): boolean
    writeEvents(attempt: number, text: string): Promise<void> | void
    writeResources(attempt: number, text: string): Promise<void> | void
    writeResult(event: TrainerEvent): Promise<void> | void
    writeLog(text: string): Promise<void> | void
    writeCheckpoint(name: string, manifest: Manifest): Promise<void> | void
  }
  close(): Promise<void> | void
}

const timestamp = '2026-01-02T03:04:05.000Z'
const config = TrainingConfig.parse({
  data: { train_csv: '/data/train.csv' },
  model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
  training: { epochs: 2, batch_size: 4 },
})
const spec = (attempt: number): RunSpec => ({ job_name: 'contract', attempt, config, resumed_from: null })
const phase = (attempt: number, epoch: number): TrainerEvent => ({
  type: 'phase',
  timestamp,
  attempt,
  phase: 'training',
  epoch,
})
const lineOf = (event: TrainerEvent) => `${JSON.stringify(event)}\n`
const ended = (attempt: number): TrainerEvent => ({
  type: 'error',
  timestamp,
  attempt,
  epoch: 1,
  code: 'LOSS_NOT_FINITE',
  message: 'the loss is NaN',
  details: '',
  trace: null,
})

/** Requirements for every exchange; run for each of them. */
export function describeExchange(name: string, create: () => Promise<ExchangeSubject>): void {
  describe(`the exchange contract, fulfilled by ${name}`, () => {
    let subject: ExchangeSubject
    let exchange: RunExchange
    let trainer: ExchangeSubject['trainer']
    beforeEach(async () => {
      subject = await create()
      exchange = subject.exchange
      trainer = subject.trainer
      await exchange.putSpec(spec(1))
    })
    afterEach(() => subject.close())

    it('provides the spec of the newest attempt', async () => {
      expect(await trainer.readSpec(await exchange.putSpec(spec(1)))).toMatchObject({
        job_name: 'contract',
        attempt: 1,
      })
      expect(await trainer.readSpec(await exchange.putSpec(spec(2)))).toMatchObject({ attempt: 2 })
    })

    it('reserves space for the end of an attempt until it is freed', async () => {
      expect([trainer.hasReserve(1), trainer.hasReserve(2)]).toEqual([true, false])
      await exchange.putSpec(spec(2))
      await exchange.freeReserve(1)
      expect([trainer.hasReserve(1), trainer.hasReserve(2)]).toEqual([false, true])
      await exchange.freeReserve(1)
    })

    it('passes on the last request of each attempt', async () => {
      expect(await trainer.readControl(1)).toBeNull()
      await exchange.sendRequest(1, 'finish')
      await exchange.sendRequest(1, 'stop')
      expect(await trainer.readControl(1)).toEqual({ request: 'stop' })
      expect(await trainer.readControl(2)).toBeNull()
    })

    it('returns events as complete lines from an offset', async () => {
      expect(await exchange.events(1, 0)).toBeNull()
      expect(await exchange.hasEvents(1)).toBe(false)
      const [first, second] = [lineOf(phase(1, 1)), lineOf(phase(1, 2))]
      await trainer.writeEvents(1, first + second.slice(0, 9))
      const chunk = await exchange.events(1, 0)
      expect(chunk).toEqual({ start: 0, end: first.length, lines: [first.trimEnd()], more: true })
      expect(await exchange.events(1, first.length)).toBeNull()
      await trainer.writeEvents(1, second.slice(9))
      const rest = await exchange.events(1, first.length)
      expect(rest).toEqual({
        start: first.length,
        end: first.length + second.length,
        lines: [second.trimEnd()],
      })
      expect(await exchange.events(2, 0)).toBeNull()
    })

    it('returns measurements of an attempt as complete lines from an offset', async () => {
      expect(await exchange.resources(1, 0)).toBeNull()
      await trainer.writeResources(1, '{"first"}\n{"sec')
      expect(await exchange.resources(1, 0)).toMatchObject({ start: 0, end: 10, lines: ['{"first"}'] })
      await trainer.writeResources(1, 'ond"}\n')
      expect(await exchange.resources(1, 10)).toMatchObject({ lines: ['{"second"}'] })
      expect(await exchange.resources(2, 0)).toBeNull()
    })

    it('detects a trainer that wrote only a part of a line', async () => {
      await trainer.writeEvents(1, '{"type"')
      expect(await exchange.events(1, 0)).toBeNull()
      expect(await exchange.hasEvents(1)).toBe(true)
      expect(await exchange.hasEvents(2)).toBe(false)
    })

    it('calls watchers at once, then after each event, never twice at a time, and not after the end', async () => {
      let looks = 0
      let looking = 0
      const watch = exchange.watchEvents(1, async () => {
        looks += 1
        looking += 1
        expect(looking).toBe(1)
        await new Promise(setImmediate)
        looking -= 1
      })
      await until(() => looks > 0)
      for (let epoch = 1; epoch <= 3; epoch++) {
        const before = looks
        await trainer.writeEvents(1, lineOf(phase(1, epoch)))
        await until(() => looks > before)
      }
      await watch.close()
      expect(looking).toBe(0)
      const before = looks
      await trainer.writeEvents(1, lineOf(phase(1, 4)))
      await new Promise((resume) => setTimeout(resume, 50))
      expect(looks).toBe(before)
    })

    it('returns the result of the attempt that wrote it, and of no other', async () => {
      expect(await exchange.result(1)).toBeNull()
      await trainer.writeResult(ended(1))
      expect(await exchange.result(1)).toEqual(ended(1))
      expect(await exchange.result(2)).toBeNull()
      await trainer.writeResult(phase(1, 1))
      expect(await exchange.result(1)).toBeNull()
    })

    it('returns the log in pieces, cut between characters, and its end', async () => {
      expect(await exchange.log(0, 10)).toEqual({ offset: 0, next_offset: 0, size: 0, text: '' })
      expect(await exchange.logEnd(10)).toBe('')
      await trainer.writeLog('größe 5\n')
      expect(await exchange.log(0, 3)).toEqual({ offset: 0, next_offset: 2, size: 10, text: 'gr' })
      expect(await exchange.log(2, 100)).toMatchObject({ next_offset: 10, text: 'öße 5\n' })
      expect(await exchange.logEnd(2)).toBe('5\n')
    })

    it('lists the complete checkpoints', async () => {
      expect(await exchange.checkpoints(0, 10)).toEqual({ checkpoints: [], total: 0 })
      expect(await exchange.hasCheckpoint('last')).toBe(false)
      await expect(exchange.checkpoint('last')).rejects.toMatchObject({ code: 'CHECKPOINT_NOT_FOUND' })
      const manifest: Manifest = {
        schema_version: 1,
        job_id: subject.jobId,
        attempt: 1,
        epoch: 3,
        created_at: timestamp,
        metrics: { val_loss: 0.5 },
        files: {},
      }
      await trainer.writeCheckpoint('last', manifest)
      expect(await exchange.hasCheckpoint('last')).toBe(true)
      expect(await exchange.checkpoint('last')).toEqual(manifest)
      expect(await exchange.checkpoints(0, 10)).toMatchObject({
        checkpoints: [{ name: 'last', epoch: 3, path: exchange.localPath('last') }],
        total: 1,
      })
      expect(exchange.localPath('last').startsWith(exchange.localPath())).toBe(true)
    })
  })
}
