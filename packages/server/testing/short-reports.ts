import { afterAll, beforeAll } from 'vitest'
import { runSummary } from '../../reports/src/compose/summary.js'
import { RENDERINGS, type Renderings } from '../../reports/src/thread/renderings.js'

const run: Renderings['run'] = (input) => ({
  html: `<html>${input.job.job_name}</html>`,
  markdown: `# ${input.job.job_name}`,
  summary: runSummary(input),
  charts: [],
})

const study: Renderings['study'] = async (input) => ({
  bytes: new TextEncoder().encode(input.study.name),
  charts: [],
})

/**
 * For the tests of a file or a block that do not read reports: reports of trainings and studies consist only of a title. Drawing the charts
 * of a report takes longer than a replayed training.
 */
export function withShortReports(): void {
  const { run: wholeRun, study: wholeStudy } = RENDERINGS
  beforeAll(() => void Object.assign(RENDERINGS, { run, study }))
  afterAll(() => void Object.assign(RENDERINGS, { run: wholeRun, study: wholeStudy }))
}
