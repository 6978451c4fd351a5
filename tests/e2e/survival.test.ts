import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Evaluation, Job, Study } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'

const caller = new Caller(shared.url)
const table = join(shared.dataset, 'survival.csv')

/** 160 patients; those with a large number have an early event. */
function writeTable() {
  const rows = Array.from({ length: 160 }, (_, row) => {
    const number = ((row * 37) % 101) / 50 - 1
    const days = Math.round(200 * Math.exp(-number) * (0.3 + ((row * 53) % 97) / 97)) + 1
    const end = 40 + ((row * 29) % 300)
    const cells = [`p${row}`, number, (row * 7) % 13, Math.min(days, end), days <= end ? 1 : 0]
    return [...cells, row < 110 ? 'train' : 'test'].join(',')
  })
  writeFileSync(table, ['patient_id,a,b,days,dead,split', ...rows, ''].join('\n'))
}

const config = (data: object = {}) => ({
  ...trainingConfig(shared.dataset, {
    model: { vision_backbone: 'none', members: 1 },
    training: { epochs: 5, learning_rate: 0.01 },
  }),
  data: { train_csv: table, time_column: 'days', event_column: 'dead', ...data },
})

let job: Job
beforeAll(async () => {
  writeTable()
  job = await caller.ended(await caller.start(config(), 'survival'))
})

describe('times to an event', () => {
  it('are trained', () => {
    expect(job.error).toBeNull()
    expect(job.prepared).toMatchObject({ task: 'survival', label_columns: ['days', 'dead'] })
  })

  it('are evaluated and reported with the follow-up, curves and calibration', async () => {
    const { status, body } = await caller.post<Evaluation>(`/api/models/${job.model_id}/evaluate`, {
      test_csv: table,
    })
    expect(status).toBe(200)
    expect(body.metrics).toMatchObject({ uno_c: expect.any(Number), integrated_brier: expect.any(Number) })
    expect(body.metrics.uno_c).toBeGreaterThan(0.6)
    const report = readFileSync(body.report_path, 'utf8')
    for (const text of ['Median follow-up', 'Number at risk', 'Calibration at', 'high risk', 'Uno&#39;s C'])
      expect(report.replaceAll('Uno’s', 'Uno&#39;s').replaceAll("Uno's", 'Uno&#39;s')).toContain(text)
    expect(report).not.toContain('misclassif')
  })

  it('are measured by a study over folds', async () => {
    const { body } = await caller.post<Study>('/api/studies', { config: config(), folds: { k: 2 } })
    const study = await caller.studyEnded(body.study_id)
    expect(study).toMatchObject({ status: 'completed', metric: 'uno_c' })
    const report = readFileSync(String(study.report_path), 'utf8')
    expect(report).toContain('Number at risk')
    expect(report).not.toContain('Accuracy')
  })
})
