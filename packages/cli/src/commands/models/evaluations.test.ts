import { readFileSync } from 'node:fs'
import { type EvaluationDocument, EvaluationResult } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { evaluationDocumentPage } from './evaluations.js'

const result = EvaluationResult.parse(
  JSON.parse(readFileSync(new URL('../../../../reports/testing/binary.json', import.meta.url), 'utf8')),
)

it('prints the results of an evaluation with its data, checkpoint, job and versions', () => {
  const page = evaluationDocumentPage({
    ...{ evaluation_id: 'e1', job_id: 'j1', job_name: 'a job', split: result.split, result, test_uses: null },
  } as EvaluationDocument)
  const { estimate, low, high } = result.intervals.auc ?? {}
  for (const value of [estimate, low, high]) expect(page).toContain((value ?? Number.NaN).toFixed(3))
  for (const part of [result.source.digest, result.source.checkpoint_digest, 'j1 (a job)'])
    expect(page).toContain(part)
  expect(page).toContain(Object.keys(result.software)[0])
  expect(page).not.toContain('mae')
})
