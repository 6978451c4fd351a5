/** @module-tag documents */
import { readFileSync } from 'node:fs'
import { type Ensemble, EvaluationResult, Job } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { renderReport } from '../compose/run-report.js'
import { cellText } from '../document/document.js'
import type { EvaluationRecord } from '../report-input.js'
import { disagreementBlocks } from './use/disagreement.js'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../testing/${name}.json`, import.meta.url), 'utf8'))
const job = Job.parse(fixture('job'))
const result = EvaluationResult.parse(fixture('binary'))
const member = (index: number) => ({
  job_id: `00000000-0000-4000-8000-00000000000${index}`,
  job_name: `study/a/0.${index}/0`,
  model_id: `none_concatenate_00${index}`,
  epoch: 3,
  checkpoint_digest: String(index).repeat(64),
  seed: 0,
  fold: { k: 2, index, repeat: 0, seed: 0 },
  data_digests: { train: 'a'.repeat(64) },
})
const ensemble: Ensemble = {
  study_id: null,
  variant: null,
  members: [member(0), member(1)],
  trained_on_every_fold: true,
  cases_known: true,
  fitted_on_validation: { cases: null, reason: 'the members left out different folds' },
}
const interval = (estimate: number, low: number, high: number) => ({
  ...{ estimate, low, high, method: 'Wilson', reason: null, caution: null },
})
const group = (low: number, error: ReturnType<typeof interval>) => ({
  ...{ low, high: low + 0.1, cases: 40, patients: 30, error },
})
const disagreement = (last: ReturnType<typeof interval>) => ({
  members: 2,
  mean_sd: 0.09,
  mean_mutual_information: 0.04,
  measure: 'mutual_information' as const,
  error: 'error_rate' as const,
  groups: [group(0, interval(0.1, 0.05, 0.2)), group(0.1, interval(0.2, 0.1, 0.3)), group(0.2, last)],
  reason: null,
})
const example = disagreement(interval(0.5, 0.4, 0.6))

const page = (ensemble: Ensemble, subject: EvaluationRecord | null = null) =>
  renderReport({
    job: { ...job, ensemble, epoch: 0, total_epochs: 0 },
    ...{
      model: null,
      history: [],
      checkpoints: [],
      moreCheckpoints: 0,
      validation: null,
      heldOut: null,
      subject,
    },
    ...{ evaluations: subject ? [subject] : [], unreadable: [], texts: {}, failureImages: null },
  })

describe('the report of an ensemble', () => {
  it('states above every number which data evaluates it, and names its members', () => {
    const { markdown } = page(ensemble)
    const notice =
      'The members of this ensemble were trained on all folds: only test data or external data can evaluate it.'
    expect(markdown.indexOf(notice)).toBeGreaterThan(0)
    expect(markdown.indexOf(notice)).toBeLessThan(markdown.indexOf('\n## '))
    for (const { model_id, job_id, checkpoint_digest } of ensemble.members)
      for (const text of [model_id.replaceAll('_', '\\_'), job_id, checkpoint_digest])
        expect(markdown).toContain(text)
    expect(markdown).toContain('fold 2 of 2')
    // Statements about a training would refer to only one member.
    expect(markdown).not.toMatch(/## (Training|Preprocessing and model)|no validation results/)
  })

  it('states the cases on which its threshold and temperature were fitted, or the reason why there are none', () => {
    expect(page(ensemble).markdown).toContain(
      'There is no temperature, operating point or prediction set: the members left out',
    )
    const fitted = { ...ensemble, fitted_on_validation: { cases: 90, reason: null } }
    expect(page(fitted).markdown).toContain('for the 90 cases that are validation cases of every member')
    expect(page(fitted).markdown).not.toContain('share no validation cases')
  })

  it('of seeds, and of members without known cases, states that instead', () => {
    const { markdown } = page({ ...ensemble, trained_on_every_fold: false, cases_known: false })
    expect(markdown).toContain('The members of this ensemble share no validation cases.')
    expect(markdown).toContain('cannot detect an overlap with them')
    expect(markdown).not.toContain('trained on all folds')
  })

  it('of an evaluation repeats it, and shows the errors by disagreement', () => {
    const { html, charts } = page(ensemble, {
      ...{ evaluation_id: 'e1', evaluated_at: '2026-11-20T21:00:00.000Z', test_evaluations: 1 },
      result: { ...result, disagreement: example },
    })
    expect(html).toContain('only test data or external data can evaluate it')
    expect(html).toContain('one ensemble of 2 trainings was evaluated')
    expect(charts.map(({ file }) => file)).toContain('evaluation-e1-disagreement.svg')
  })
})

describe('disagreement', () => {
  const textOf = (found: typeof example) =>
    disagreementBlocks(found, '')
      .flatMap((block) => (block.kind === 'paragraph' ? [block.text] : []))
      .join('\n')

  it('states whether errors are more frequent where its members disagree', () => {
    expect(textOf(example)).toContain(
      'On these cases, errors are more frequent or larger where members disagree.',
    )
    expect(textOf(disagreement(interval(0.25, 0.15, 0.4)))).toContain('The intervals overlap')
    const [figure] = disagreementBlocks(example, '').flatMap((block) =>
      block.kind === 'figures' ? block.figures : [],
    )
    expect(figure?.table?.rows.map((row) => cellText(row[5] ?? ''))).toEqual(['0.100', '0.200', '0.500'])
  })

  it('claims mutual information only where it was measured', () => {
    expect(textOf(example)).toContain('(member_sd, mutual_information)')
    const regression = { ...example, mean_mutual_information: null, measure: 'sd', error: 'absolute_error' }
    expect(textOf(regression as never)).not.toContain('mutual')
  })

  it('without groups gives the reason', () => {
    const found = { ...example, groups: [], error: null, reason: 'fewer than 60 patients' }
    expect(textOf(found as never)).toContain('fewer than 60 patients')
  })
})
