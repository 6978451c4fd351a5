import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const dataset = shared.dataset

describe('2.4 Evaluation', () => {
  let modelId: string
  let checkpoint: string
  let answer: Record<string, unknown> & { metrics: Record<string, number | null>; report_path: string }
  beforeAll(async () => {
    const job = await caller.ended(shared.referenceJob)
    modelId = String(job.model_id)
    const { body: model } = await caller.get<{ checkpoint_path: string }>(`/api/models/${modelId}`)
    checkpoint = model.checkpoint_path
    const { status, body } = await caller.post<typeof answer>(`/api/models/${modelId}/evaluate`, {
      checkpoint_path: checkpoint,
      test_csv: `${dataset}/test.csv`,
      split: 'test',
    })
    if (status !== 200) throw new Error(JSON.stringify(body))
    answer = body
  })

  it(
    'is asked for with checkpoint_path, test_csv and split',
    shows('2.4/checkpoint_path', '2.4/test_csv', '2.4/split', '2.4/model_id', '4/evaluate', '1/evaluates'),
    () => expect(answer.model_id).toBe(modelId),
  )
  it('metrics is an object of numbers: accuracy, auc, f1_score', shows('2.4/metrics', '4/evaluate'), () => {
    expect(Object.keys(answer.metrics).slice(0, 3)).toEqual(['accuracy', 'auc', 'f1_score'])
    for (const name of ['accuracy', 'auc', 'f1_score'])
      expect(answer.metrics[name]).toEqual(expect.any(Number))
  })
  it('report_path is the path of an HTML report', shows('2.4/report_path', '4/evaluate'), () => {
    expect(answer.report_path).toMatch(/\.html$/)
    expect(readFileSync(answer.report_path, 'utf8')).toMatch(/^<!doctype html>/i)
  })
  it('every number of the response is in the report', () => {
    const text = readFileSync(answer.report_path, 'utf8').replaceAll(/<[^>]*>/g, ' ')
    const numbers = new Set(text.match(/\d+(?:\.\d+)?/g))
    for (const [name, value] of Object.entries(answer.metrics)) {
      if (value === null) continue
      expect(numbers, `${name} ${value}`).toContain(
        Number.isInteger(value) ? String(value) : Math.abs(value).toFixed(3),
      )
    }
  })
  it('the report loads nothing from outside', () => {
    const report = readFileSync(answer.report_path, 'utf8')
    expect(report).not.toMatch(/(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i)
    expect(report).toContain('Content-Security-Policy')
  })
  for (const field of ['checkpoint_path', 'test_csv', 'split'] as const)
    it(`${field} is a string: anything else is refused`, shows(`2.4/${field}`), async () => {
      const { status, body } = await caller.post(`/api/models/${modelId}/evaluate`, { [field]: 3 })
      expect([status, body.issues]).toMatchObject([400, [{ path: field }]])
    })
  it('without fields it takes the best checkpoint and the test table of the job', async () => {
    const { status, body } = await caller.post<typeof answer>(`/api/models/${modelId}/evaluate`, {})
    expect(status).toBe(200)
    expect(body.metrics).toEqual(answer.metrics)
    expect(existsSync(body.report_path)).toBe(true)
  })
  it('two evaluations count how often the test split was looked at', async () => {
    const { body } = await caller.get<{ evaluations: number }>(`/api/models/${modelId}`)
    expect(body.evaluations).toBeGreaterThanOrEqual(2)
  })
})
