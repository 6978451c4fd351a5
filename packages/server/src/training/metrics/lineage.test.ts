import { type JobMessage, MetricSeries, TrainingConfig } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeEachDatabase } from '../../../testing/databases.js'
import type { Database } from '../../database/database.js'
import { StoredPaths } from '../configuration/stored-paths.js'
import { TrainingRepository } from '../training.repository.js'
import { MetricLevelsRepository } from './metric-levels.repository.js'
import { MetricRollup } from './metric-rollup.js'
import { metricSeries } from './metric-series.js'
import { RecentCurves } from './recent-curves.js'

describeEachDatabase((databases) => {
  const timestamp = '2026-01-02T03:04:05.000Z'
  const idOf = (number: number) => `aaaaaaaa-0000-4000-8000-00000000000${number}`
  const BATCHES = 200

  let database: Database
  let repository: TrainingRepository
  let sources: Parameters<typeof metricSeries>[0]

  beforeEach(async () => {
    database = await databases.open()
    repository = new TrainingRepository(database, new StoredPaths([]))
    const levels = new MetricLevelsRepository(database)
    const rollup = new MetricRollup({ repository, levels, log: { warn: () => expect.unreachable() } })
    sources = { repository, levels, rollup, recent: new RecentCurves() }
  })
  afterEach(() => database.destroy())

  /** A job that trained these epochs; its values equal its number. */
  async function train(
    number: number,
    resumedFrom: number | null,
    first: number,
    last: number,
  ): Promise<void> {
    const job_id = idOf(number)
    const config = TrainingConfig.parse({
      data: { train_csv: '/train.csv' },
      model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
      training: { epochs: 20, batch_size: 4 },
    })
    await repository.insert({
      ...{ job_id, job_name: 'one', config, epoch: first - 1, total_epochs: 20, created_at: timestamp },
      ...{ resumed_from: resumedFrom === null ? null : idOf(resumedFrom), fine_tuned_from: null },
    })
    const messages: JobMessage[] = []
    for (let epoch = first; epoch <= last; epoch++) {
      for (let batch = 1; batch <= BATCHES; batch++)
        messages.push({
          ...{ type: 'progress', job_id, seq: messages.length + 1, timestamp, epoch, batch },
          ...{ total_batches: BATCHES, eta_seconds: 1, metrics: { loss: number } },
        })
      messages.push({
        ...{ type: 'epoch_end', job_id, seq: messages.length + 1, timestamp, epoch, total_epochs: 20 },
        ...{ duration_seconds: number, is_best: false, metrics: { train_loss: number } },
      })
    }
    await repository.append(messages)
    await database
      .updateTable('jobs')
      .set({ last_seq: messages.length })
      .where('job_id', '=', job_id)
      .execute()
  }

  async function line(number: number, request: object = {}): Promise<MetricSeries> {
    const job = await repository.find(idOf(number))
    if (!job) throw new Error('no such job')
    return MetricSeries.parse(await metricSeries(sources, job, { buckets: 5000, lineage: true, ...request }))
  }

  test('a resumed job is one line; for repeated epochs the later values count', async () => {
    await train(1, null, 1, 8)
    await train(2, 1, 6, 9)
    await train(3, 2, 10, 11)
    for (const rolledUp of [false, true]) {
      if (rolledUp) for (const number of [1, 2, 3]) await sources.rollup.rollUp(idOf(number))
      const { epochs, batches, continued } = await line(3)
      expect(epochs.map(({ epoch, metrics }) => [epoch, metrics.train_loss])).toEqual([
        ...[1, 2, 3, 4, 5].map((epoch) => [epoch, 1]),
        ...[6, 7, 8, 9].map((epoch) => [epoch, 2]),
        ...[10, 11].map((epoch) => [epoch, 3]),
      ])
      expect(batches.step).toEqual(Array.from({ length: 11 * BATCHES }, (_, index) => index + 1))
      expect(batches.loss.map((loss, index) => [index, loss])).toEqual(
        batches.step.map((step, index) => [index, step <= 5 * BATCHES ? 1 : step <= 9 * BATCHES ? 2 : 3]),
      )
      expect(continued).toEqual([
        { job_id: idOf(2), resumed_from: idOf(1), epoch: 5, step: 5 * BATCHES },
        { job_id: idOf(3), resumed_from: idOf(2), epoch: 9, step: 9 * BATCHES },
      ])
    }
  })

  test('a job resumed from an earlier checkpoint replaces values of both previous jobs', async () => {
    await train(1, null, 1, 4)
    await train(2, 1, 5, 8)
    await train(3, 2, 3, 4)
    const { epochs } = await line(3)
    expect(epochs.map(({ epoch, metrics }) => [epoch, metrics.train_loss])).toEqual([
      [1, 1],
      [2, 1],
      [3, 3],
      [4, 3],
    ])
  })

  test('a window of a line reads only what it needs; a continuation without values replaces nothing', async () => {
    await train(1, null, 1, 8)
    await train(2, 1, 9, 8)
    const { batches, epochs, continued } = await line(2, {
      from: 2 * BATCHES + 1,
      to: 3 * BATCHES,
      buckets: 50,
    })
    expect([batches.ranges[0]?.first, batches.step.at(-1)]).toEqual([{ epoch: 3, batch: 1 }, 3 * BATCHES])
    expect(batches.step.length).toBeLessThanOrEqual(50)
    expect([epochs.map(({ epoch }) => epoch), continued]).toEqual([[3], []])
  })

  test('without lineage a job is returned by itself, and so is one whose predecessor was removed', async () => {
    await train(1, null, 1, 2)
    await train(2, 1, 3, 4)
    expect((await line(2, { lineage: false })).epochs.map(({ epoch }) => epoch)).toEqual([3, 4])
    await repository.transaction((transaction) => repository.remove(idOf(1), transaction))
    const { epochs, continued } = await line(2)
    expect([epochs.map(({ epoch }) => epoch), continued]).toEqual([[3, 4], []])
  })
})
