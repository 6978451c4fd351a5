/** @module-tag documents */
import { readFileSync } from 'node:fs'
import { EvaluationResult } from '@medloom/contracts'
import { describe, expect, test } from 'vitest'
import { type Block, cellText, type Table } from '../../document/document.js'
import { formatCount, formatNumber, formatShare, formatUnit } from '../../document/numbers.js'
import { performanceSection } from '../performance.js'
import { useSection } from './use.js'

const fixture = (name: string) =>
  EvaluationResult.parse(
    JSON.parse(readFileSync(new URL(`../../../testing/${name}.json`, import.meta.url), 'utf8')),
  )
const older = fixture('binary')

const blocksOf = (more: Partial<EvaluationResult>) => useSection({ ...older, ...more }, 'test-')?.blocks ?? []
const textOf = (blocks: readonly Block[]) =>
  blocks.flatMap((block) => (block.kind === 'paragraph' ? [block.text] : [])).join('\n')
const tablesOf = (blocks: readonly Block[]) =>
  blocks.filter((block): block is Table => block.kind === 'table')
const rowsOf = (table: Table | undefined) => (table?.rows ?? []).map((row) => row.map(cellText))

test('results of older versions, which do not contain it, have no such section', () => {
  for (const name of ['binary', 'multiclass', 'regression']) expect(useSection(fixture(name), '')).toBeNull()
})

describe('the temperature', () => {
  const interval = (estimate: number) => ({
    estimate,
    low: estimate - 0.1,
    high: estimate + 0.1,
    method: 'bootstrap',
    reason: null,
  })
  const temperature = {
    value: 1.6,
    reason: null,
    applied: false,
    cases: 110,
    patients: 98,
    before: { log_loss: interval(0.512), calibration_slope: interval(0.6) },
    after: { log_loss: interval(0.468), calibration_slope: interval(0.96) },
  }

  test('is listed with the metrics before and after it, and those of the report are marked', () => {
    const blocks = blocksOf({ temperature })
    expect(textOf(blocks)).toContain('1.600 fits best on 110 validation cases of 98 patients')
    expect(textOf(blocks)).toContain('the model was overconfident on them')
    expect(textOf(blocks)).toContain('It is not applied to the probabilities')
    expect(rowsOf(tablesOf(blocks)[0])).toEqual([
      ['Log loss', '0.512 (0.412 to 0.612)', '0.468 (0.368 to 0.568)'],
      ['Calibration slope', '0.600 (0.500 to 0.700)', '0.960 (0.860 to 1.060)'],
    ])
    expect(textOf(blocksOf({ temperature: { ...temperature, applied: true } }))).toContain(
      'It is applied to the probabilities',
    )
    expect(textOf(blocksOf({ temperature: { ...temperature, low: 1.25, high: 2.5 } }))).toContain(
      '(95% CI 1.250 to 2.500) fits best',
    )
    expect(textOf(blocks)).toContain('An older version fitted it without a confidence interval')
    expect(textOf(blocksOf({ temperature: { ...temperature, low: 1.25, high: 2.5 } }))).not.toContain(
      'An older version',
    )
  })

  test('that could not be fitted has its reason', () => {
    const none = { ...temperature, value: null, reason: 'too few cases', after: null }
    expect(textOf(blocksOf({ temperature: none }))).toContain('too few cases')
    expect(useSection({ ...older, temperature: { ...none, before: null } }, '')).toBeNull()
  })

  test('on the cases on which it was fitted has a caution', () => {
    const warnings = [{ code: 'CHOSEN_ON_THIS_SPLIT' as const, message: 'chosen here' }]
    expect(textOf(blocksOf({ temperature, warnings }))).toContain('fitted on these cases')
    expect(textOf(blocksOf({ temperature }))).not.toContain('fitted on these cases')
  })
})

describe('operating points', () => {
  const present = fixture('use-binary')
  const points = present.operating_points?.points ?? []

  test('are listed with their threshold, their result here and in validation', () => {
    const [metrics, counts] = tablesOf(blocksOf({ ...present, temperature: undefined }))
    expect(rowsOf(metrics).map(([rule]) => rule)).toEqual([
      "Youden's J",
      'Sensitivity at least 0.9',
      'Specificity at least 0.9',
    ])
    for (const [index, { threshold, metrics: measured, confusion, validation }] of points.entries()) {
      const row = rowsOf(metrics)[index]
      expect(row?.[1]).toBe(formatUnit(threshold))
      expect(row?.[2]).toContain(formatUnit(measured?.sensitivity?.estimate))
      expect(row?.[2]).toContain(formatUnit(measured?.sensitivity?.low))
      expect(rowsOf(counts)[index]?.slice(1)).toEqual([
        ...Object.values(confusion ?? {}).map(formatCount),
        formatUnit(validation?.sensitivity),
        formatUnit(validation?.specificity),
      ])
    }
  })

  test('that validation could not give have their reason, and a rule of cost its ratio', () => {
    const none = { threshold: null, validation: null, metrics: null, confusion: null }
    const rule = { rule: 'cost' as const, false_negative: 5, false_positive: 1 }
    const blocks = blocksOf({
      operating_points: { reason: null, points: [{ ...none, rule, reason: 'it costs no more' }] },
    })
    expect(blocks).toContainEqual({
      kind: 'list',
      items: ['Lowest cost, false negative : false positive = 5 : 1: no threshold, it costs no more.'],
    })
    expect(tablesOf(blocks)).toEqual([])
  })

  test('are absent if they were not requested, or if the task has several classes', () => {
    expect(blocksOf({ operating_points: { reason: 'not requested', points: [] } })).toEqual([])
    expect(textOf(useSection(fixture('use-multiclass'), '')?.blocks ?? [])).not.toContain('applied unchanged')
  })
})

describe('the decision curve', () => {
  const curve = {
    thresholds: [0.1, 0.2, 0.3, 0.4],
    model: [0.2, 0.19, 0.1, -0.1],
    treat_all: [0.22, 0.1, 0.05, -0.2],
  }
  const figures = (more: Partial<EvaluationResult>) =>
    blocksOf(more).flatMap((block) => (block.kind === 'figures' ? block.figures : []))

  test('is drawn under its name, with its numbers and where the model is best', () => {
    const decision_curve = { reason: null, curve }
    expect(textOf(blocksOf({ decision_curve }))).toContain('at thresholds from 0.200 to 0.300')
    const [figure] = figures({ decision_curve })
    expect(figure?.chart.name).toBe('test-decision-curve')
    expect(figure?.chart.standalone).toContain('Treat all')
    expect(figure?.table?.rows[1]).toEqual(['0.200', '0.190', '0.100', '0'])
  })

  test('names the longest range of thresholds at which the model is best, without a gap', () => {
    const gap = { thresholds: [0.1, 0.2, 0.3, 0.4, 0.5], model: [0.3, 0.1, 0.2, 0.2, 0.2] }
    const treat_all = [0.2, 0.2, 0.1, 0, 0]
    const decision_curve = { reason: null, curve: { ...gap, treat_all } }
    expect(textOf(blocksOf({ decision_curve }))).toContain('at thresholds from 0.300 to 0.500')
  })

  test('has its interval in the table and in the drawing', () => {
    const bounds = {
      low: [0.15, 0.12, null, -0.2],
      high: [0.25, 0.26, null, 0],
      interval: 'patient bootstrap',
    }
    const [figure] = figures({ decision_curve: { reason: null, curve: { ...curve, ...bounds } } })
    expect(figure?.table?.rows.map((row) => row[2])).toEqual([
      '0.150 to 0.250',
      '0.120 to 0.260',
      '–',
      '−0.200 to 0',
    ])
    expect(figure?.table?.notes).toContain('CI at each threshold: patient bootstrap.')
    expect(figure?.chart.description).toContain('95% CI at each threshold')
  })

  test('states the threshold from which it is not reliable', () => {
    const bounds = { low: [0.15, 0.12, null, null], high: [0.25, 0.26, null, null], fewest_true_positives: 5 }
    const textWith = (more: object) =>
      textOf(blocksOf({ decision_curve: { reason: null, curve: { ...curve, ...bounds, ...more } } }))
    expect(textWith({ reliable_to: 0.2 })).toContain(
      'There is no CI above a threshold of 0.200: fewer than 5 patients with the event are predicted positive',
    )
    expect(textWith({ reliable_to: null })).toContain('No threshold has a CI: fewer than 5')
    expect(textWith({ reliable_to: 0.4 })).not.toContain('predicted positive')
  })

  test('of a model that is never better states this', () => {
    const decision_curve = { reason: null, curve: { ...curve, model: [0.1, 0, 0, -0.1] } }
    expect(textOf(blocksOf({ decision_curve }))).toContain('At no threshold')
  })

  test('that is not defined is not drawn', () => {
    expect(figures({ decision_curve: { reason: 'one class only', curve: null } })).toEqual([])
  })
})

describe('prediction sets', () => {
  const present = fixture('use-multiclass')
  const conformal = present.conformal
  if (!conformal?.coverage) throw new Error('the fixture has sets')
  const coverage = conformal.coverage
  const alone = (more: Partial<typeof conformal> = {}, result: Partial<EvaluationResult> = {}) =>
    blocksOf({ ...present, temperature: undefined, ...result, conformal: { ...conformal, ...more } })

  test('state target coverage, observed coverage and size', () => {
    const blocks = alone()
    expect(textOf(blocks)).toContain('the true value in 90% of new, similar cases')
    expect(textOf(blocks)).toContain('The epoch was chosen on the same split')
    const facts = blocks.flatMap((block) => (block.kind === 'facts' ? block.items : []))
    expect(facts.map(({ term, value }) => [term, value])).toEqual([
      ['Coverage', formatUnit(coverage.estimate)],
      ['Mean set size', formatNumber(conformal.mean_size)],
      ['Sets with one class', formatShare(conformal.single ?? 0, present.num_cases)],
      ['Empty sets', '0 (0.0%)'],
    ])
    expect(rowsOf(tablesOf(blocks)[0]).map(([name]) => name)).toEqual(present.classes)
  })

  test('whose coverage is significantly below target state this', () => {
    expect(textOf(alone())).toContain('significantly below target')
    const covered = { coverage: { ...coverage, estimate: 0.88, high: 0.93 } }
    expect(textOf(alone(covered))).not.toContain('below target.')
  })

  test('of numbers are intervals, and what could not be calibrated has its reason', () => {
    const interval = { method: 'absolute_error' as const, width: 12.5, per_class: null }
    const blocks = alone({ ...interval, mean_size: null, single: null, empty: null }, { classes: null })
    expect(blocks).toContainEqual({ kind: 'heading', text: 'Prediction intervals' })
    expect(JSON.stringify(blocks)).toContain('12.500')
    const none = alone({ coverage: null, reason: '12 validation cases are too few' })
    expect(textOf(none)).toContain('12 validation cases are too few')
  })
})

describe('performance by patient', () => {
  const present = fixture('use-binary')
  const tableOf = (result: EvaluationResult) =>
    tablesOf(performanceSection(result, null).blocks).find(({ caption }) =>
      caption.startsWith('Results per row'),
    )

  test('is next to the metrics by row, each with the number of its cases', () => {
    const found = tableOf(present)
    const [mean, max] = present.patient_level?.aggregations ?? []
    expect(found?.columns.map(({ label }) => label)).toEqual([
      'Metric',
      `${present.num_cases} rows`,
      `${mean?.patients} patients, mean`,
      `${max?.patients} patients, max`,
    ])
    const auc = rowsOf(found).find(([name]) => name === 'AUROC')
    for (const [index, estimate] of [
      present.metrics.auc,
      mean?.metrics.auc?.estimate,
      max?.metrics.auc?.estimate,
    ].entries())
      expect(auc?.[index + 1]).toContain(formatUnit(estimate))
    expect(textOf(performanceSection(present, null).blocks)).toContain(
      'different labels: 5; mean excludes them',
    )
  })

  test.each([
    ['any', 'A patient is positive if any row is positive. Patients whose rows have different labels: 5.'],
    ['majority', "A patient's label is the most frequent class of the rows"],
    ['mean', "A patient's value is the mean of the rows. Patients whose rows"],
  ] as const)(
    'states the label of a patient, and the number of patients with several: %s',
    (label, words) => {
      const level = present.patient_level
      if (!level) throw new Error('by patient')
      const aggregations = level.aggregations.map((one) => ({ ...one, label }))
      const found = performanceSection({ ...present, patient_level: { ...level, aggregations } }, null)
      expect(textOf(found.blocks)).toContain(words)
      expect(textOf(found.blocks)).not.toContain('excludes them')
    },
  )

  test('follows a threshold, with a note if validation could not choose it', () => {
    const words = (threshold_reason?: string | null) =>
      textOf(
        performanceSection({ ...present, ...(threshold_reason !== undefined && { threshold_reason }) }, null)
          .blocks,
      )
    expect(words('the validation cases have only one class')).toContain(
      'the default, because no threshold could be chosen on the validation split (the validation cases have only one class).',
    )
    for (const reason of [null, undefined])
      expect(words(reason)).toContain('the threshold chosen on the validation split.')
  })

  test('is left out where every patient has one row, and in results of older versions', () => {
    expect(tableOf(older)).toBeUndefined()
    const nothing = { patients: null, with_several_rows: null, disagreeing: null, aggregations: [] }
    expect(tableOf({ ...present, patient_level: { reason: 'one row each', ...nothing } })).toBeUndefined()
  })
})
