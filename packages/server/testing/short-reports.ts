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

const SHORT: Pick<Renderings, 'run' | 'study'> = { run, study }
/** For tests that read reports of studies, but none of trainings. */
export const SHORT_RUN_REPORTS: Pick<Renderings, 'run'> = { run }

/**
 * For the tests of a file or a block that do not read reports: reports of trainings and studies consist only of a title. Drawing the charts
 * of a report takes longer than a replayed training.
 * @param short kinds of reports; absent: both
 */
export function withShortReports(short: Partial<Pick<Renderings, 'run' | 'study'>> = SHORT): void {
  const { run, study } = RENDERINGS
  beforeAll(() => void Object.assign(RENDERINGS, short))
  afterAll(() => void Object.assign(RENDERINGS, { run, study }))
}
