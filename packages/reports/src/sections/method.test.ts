import { readFileSync } from 'node:fs'
import { Job, type Task } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { methodSection } from './method.js'

const job = Job.parse(JSON.parse(readFileSync(new URL('../../testing/job.json', import.meta.url), 'utf8')))

/** The fact on feature selection of a training with this task. */
function selection(task: Task, method: 'univariate' | 'variance', keep: number | null) {
  const data = { ...job.config.data, feature_selection: { method, keep } }
  const prepared = job.prepared && { ...job.prepared, task }
  const { blocks } = methodSection({ job: { ...job, prepared, config: { ...job.config, data } } })
  const facts = blocks.flatMap((block) => (block.kind === 'facts' ? block.items : []))
  return facts.find(({ term }) => term === 'Feature selection')
}

it('columns are ranked by the label, but for survival by its martingale residual', () => {
  expect(selection('classification', 'univariate', 8)).toMatchObject({
    value: 'univariate, 8 columns selected',
    note: 'columns are ranked by their association with the label in the training split',
  })
  expect(selection('survival', 'univariate', 8)?.note).toMatch(/martingale residual .* not with the time/)
  expect(selection('survival', 'variance', null)).toEqual({ term: 'Feature selection', value: 'variance' })
})
