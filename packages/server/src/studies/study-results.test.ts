import { setTimeout as delay } from 'node:timers/promises'
import { inEnglish } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.js'
import type { ReportPhase } from './study-phase.js'
import { StudyResultsWriter } from './study-results.js'

const RESULTS = { variants: [], comparisons: [] }
const STUDY = { config: { folds: { k: 2 }, config: {}, variants: [] }, metric: 'auc', reference: null }
const never = new AbortController().signal

test('slow results report their progress, and nothing after they are stored', async () => {
  const calls: unknown[] = []
  const pool = {
    run: async (
      _task: string,
      _params: object,
      options: { onProgress: (n: number, text: string) => void },
    ) => {
      for (const [fraction, variant] of [
        [0.1, 'narrow'],
        [0.456, 'wide'],
      ] as const) {
        const before = calls.length
        options.onProgress(fraction, `resampling the patients of ${variant}`)
        await eventually(() => calls.length > before)
      }
      options.onProgress(0.9, 'comparing the variants')
      return RESULTS
    },
  }
  const repository = { update: async () => void calls.push('stored') }
  const folder = { study: () => '/study', run: () => '/run' }
  const writer = new StudyResultsWriter({ pool, repository, folder, noticeMilliseconds: 10 } as never)
  const report: ReportPhase = async (phase, detail) =>
    void calls.push(detail ? [phase, inEnglish(detail)] : [phase])
  await writer.write(STUDY as never, [], report, never)
  await delay(30)
  expect(calls).toEqual([
    ['results'],
    ['results', 'resampling the patients of narrow, 10 %'],
    ['results', 'resampling the patients of wide, 46 %'],
    'stored',
  ])
})
