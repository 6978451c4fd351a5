import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Job, ROUTES, SOCKETS } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

describe('9 Versioning', () => {
  it('the paths carry no version segment', shows('9/paths'), () => {
    for (const path of [
      ...Object.values(ROUTES).map((route) => route.path),
      ...Object.values(SOCKETS).map((socket) => socket.path),
    ])
      expect(path).not.toMatch(/\/v\d/)
  })

  it('the run directory carries schema_version', shows('9/policy'), async () => {
    // The report is written in the background, after the end of the job.
    const reported = (job: Job) => job.report_path !== null
    const { run_dir } = await new Caller(shared.url).until(shared.referenceJob, reported)
    for (const file of [
      'spec.json',
      'metrics/metrics.json',
      'metrics/validation.json',
      'reports/summary.json',
    ])
      expect(JSON.parse(readFileSync(join(run_dir, file), 'utf8')).schema_version, file).toBe(1)
  })
})
