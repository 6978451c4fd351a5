/** @module-tag service */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { EvaluationResult } from '@medloom/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RESULT, serviceWithModels } from '../../../../server/testing/evaluations.js'
import { runCommandLine } from '../../program.js'

let service: Awaited<ReturnType<typeof serviceWithModels>>
let cwd: string
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'medloom-small-cells-'))
  service = await serviceWithModels()
})
afterAll(async () => {
  await service.close()
  rmSync(cwd, { recursive: true })
})

async function output(...words: string[]): Promise<string> {
  let text = ''
  const stdout = new PassThrough().on('data', (piece) => {
    text += piece
  })
  const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() }
  const env = { MEDLOOM_URL: service.address }
  const terminal = { ...streams, env, cwd, onInterrupt: () => () => undefined }
  expect(await runCommandLine(['node', 'medloom', ...words], terminal)).toBe(0)
  return text
}

/** Subgroups without small counts. The fixture has 8 cases of site C, of which 2 have the event. */
const shared = EvaluationResult.parse(RESULT).subgroups

it('small counts of subgroups are neither printed nor downloaded', async () => {
  expect(shared.find(({ group }) => group === 'C')).toMatchObject({ cases: 8, events: null })
  const measured = await output('models', 'evaluate', 'resnet18_gated_001', '--json')
  const { evaluation_id, job_id } = JSON.parse(await output('models', 'evaluations', '--json')).evaluations[0]
  const shown = await output('models', 'evaluation', evaluation_id)
  for (const text of [measured, shown]) expect(text).not.toContain('site')
  const json = await output('models', 'evaluation', evaluation_id, '--json')
  expect(JSON.parse(json).result.subgroups).toEqual(shared)
  await output('jobs', 'download', job_id, `evaluations/${evaluation_id}/evaluation.json`)
  expect(JSON.parse(readFileSync(join(cwd, 'evaluation.json'), 'utf8')).subgroups).toEqual(shared)
})
