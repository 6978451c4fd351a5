import { readFileSync } from 'node:fs'
import {
  EvaluationResult,
  Job,
  PRIMARY_METRIC,
  Study,
  StudyConfig,
  type StudyConfigInput,
  StudyResults,
  type StudySearch,
  studyTrainings,
} from '@medloom/contracts'
import type { StudyReportInput } from '../src/report-input.js'

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'))

export interface StudyCase {
  /** Task of the reference results. */
  readonly result: 'binary' | 'multiclass' | 'regression'
  readonly study?: Partial<StudyConfigInput>
  readonly measuredOn?: StudyReportInput['measuredOn']
  /** Difference in the first comparison. */
  readonly difference?: { estimate: number; p: number }
  readonly failed?: number
  readonly baseline?: boolean
  /** Number of pruned trials in each search. */
  readonly pruned?: number
}

const VARIANTS = [{ name: 'gated' }, { name: 'bilinear', config: { model: { fusion_type: 'bilinear' } } }]

/** A study with results as the trainer computes them, for every kind of task and design. */
export function studyInput(given: StudyCase): StudyReportInput {
  const result = EvaluationResult.parse(fixture(given.result))
  const metric = result.task === 'regression' ? PRIMARY_METRIC.regression : PRIMARY_METRIC.classification
  const config = StudyConfig.parse({
    config: {
      data: { train_csv: '/data/train.csv' },
      model: { vision_backbone: 'resnet18', fusion_type: 'gated' },
      training: { epochs: 3, batch_size: 4 },
    },
    name: 'fusion study',
    seeds: 2,
    variants: VARIANTS,
    ...given.study,
  })
  const folds = foldsOf(config)
  const trainings = studyTrainings(config, folds)
  const failed = given.failed ?? 0
  const trials = config.search?.trials ?? 0
  const wasPruned = (trial: number | null) => trial !== null && trial >= trials - (given.pruned ?? 0)
  const jobs = trainings.map(({ variant, seed, fold, trial }, index) => ({
    job_id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    ...{ variant, seed, trial, value: trial === null ? null : 0.5 - trial / 10 },
    settings: trial === null ? null : { 'model.dropout': trial / 10 },
    repeat: fold && 'repeat' in fold ? fold.repeat : null,
    fold: fold === null ? null : 'value' in fold ? fold.value : fold.index,
    status: index < failed ? 'failed' : wasPruned(trial) ? 'pruned' : 'completed',
    error: index < failed ? { code: 'LOSS_NOT_FINITE', message: 'the loss is NaN' } : null,
    attempts: [],
  }))
  const chosenTrial = trials - (given.pruned ?? 0) - 1
  const search = config.search && searchOf(config.search, jobs, chosenTrial)
  const complete = jobs.slice(failed).filter(({ trial }) => trial === null || trial === chosenTrial)
  const names = [...config.variants, ...(config.search ? [config.search] : [])].map(({ name }) => name)
  const results = StudyResults.parse({
    ...{ schema_version: 1, metric, reference: config.variants[0]?.name, task: result.task },
    ...{ classes: result.classes, positive_class: result.positive_class, seeds: [0, 1] },
    variants: [
      ...names.map((name) => variantOf(name, metric, result)),
      ...(given.baseline ? [{ ...variantOf('logistic_regression', metric, result), ...BASELINE }] : []),
    ],
    comparisons: names
      .slice(1)
      .map((name) => comparisonOf(name, config.variants[0]?.name ?? '', metric, given.difference)),
    trainings: complete.map(({ variant, seed, repeat, fold }) => ({
      ...{ variant, seed, repeat, fold, num_cases: 8, num_patients: 8 },
      ...{ metrics: { [metric]: 0.75 }, notes: {} },
    })),
    methods: {
      ...{ level: 0.95, replicates: 1000, resampled: 'patients', folds: null, repeats: 1, seeds: 2 },
      ...{ test_train_ratio: null, main_test: 'patient_bootstrap', corrected: 1 },
      statements: ['Differences have a paired bootstrap over patients (1000 replicates).'],
    },
    software: { torch: '2.13.0' },
  })
  const study = Study.parse({
    study_id: '11111111-1111-4111-8111-111111111111',
    ...{ name: config.name, status: failed > 0 ? 'failed' : 'completed', phase: null },
    progress: {
      total: jobs.length,
      completed: jobs.filter(({ status }) => status === 'completed').length,
      pruned: jobs.filter(({ status }) => status === 'pruned').length,
      ...{ failed, running: 0, queued: 0, fraction: 1 - failed / jobs.length },
    },
    ...{ metric, reference: config.variants[0]?.name, report_path: null, message: '', error: null },
    ...{ created_at: '2026-01-02T03:04:05.000Z', ended_at: '2026-01-02T04:04:05.000Z' },
    ...{ owner: null, variants: [], comparisons: [], search, jobs, results_path: null, config },
  })
  return {
    ...{ study, results, measuredOn: given.measuredOn ?? (config.folds ? 'held-out' : 'test') },
    prepared: Job.parse(fixture('job')).prepared,
    tables: { train_csv: { path: '/data/train.csv', sha256: 'ab12' } },
    configuration: 'name: fusion study\n',
  }
}

type Jobs = readonly {
  trial: number | null
  seed: number
  repeat: number | null
  fold: unknown
  job_id: string
}[]

function searchOf(search: StudySearch, jobs: Jobs, chosenTrial: number) {
  const trials = search.trials ?? 0
  const pruned = trials - chosenTrial - 1
  const counts = (places: number) => ({
    ...{ asked: places * trials, completed: places * (chosenTrial + 1), pruned: places * pruned, failed: 0 },
  })
  const chosen = jobs.filter(({ trial }) => trial === chosenTrial)
  return {
    ...{ name: search.name, sampler: search.sampler, pruner: search.pruner, trials, space_size: null },
    ...{ metric: 'val_loss', better: 'lower', ...counts(chosen.length) },
    choices: chosen.map(({ seed, repeat, fold, job_id }, index) => ({
      ...{ seed, repeat, fold, ...counts(1), ended: true },
      best: {
        ...{ trial: chosenTrial, job_id, settings: { 'model.dropout': index / 10 } },
        ...{ value: 0.5 - chosenTrial / 10, validation: 0.8 },
      },
    })),
  }
}

function foldsOf({ folds }: StudyConfig) {
  if (!folds) return [null]
  const { k, repeats = 1, column = '' } = folds
  if (k === undefined) return ['north', 'south'].map((value) => ({ column, value }))
  return Array.from({ length: repeats * k }, (_, index) => {
    return { k, index: index % k, repeat: Math.floor(index / k), seed: 0 }
  })
}

const BASELINE = {
  ...{ title: 'logistic regression', kind: 'baseline', carried_by: 'gated' },
  fitted_on: { splits: ['train', 'val'], same_as_model: true },
}
const COMPONENT = { variance: 0.01, sd: 0.1, share: 0.5 }

function variantOf(name: string, metric: string, result: EvaluationResult) {
  const { per_class, confusion_matrix, roc, pr, calibration, regression } = result
  return {
    ...{ name, title: name, kind: 'trained', carried_by: null, num_trainings: 4, num_sets: 2 },
    ...{ num_cases: 16, num_patients: 16 },
    metrics: {
      [metric]: {
        ...{ mean: 0.74, sd: 0.05, trainings: 4, estimate: 0.76, low: 0.7, high: 0.82 },
        ...{ method: 'patient bootstrap', note: null },
      },
    },
    variance: { metric, seed: COMPONENT, fold: null, rest: COMPONENT, trainings: 4, note: null },
    figures: { seed: 0, repeat: 0, per_class, confusion_matrix, roc, pr, calibration, regression },
    notes: [],
  }
}

function comparisonOf(a: string, b: string, metric: string, { estimate, p } = { estimate: 0.01, p: 0.6 }) {
  const bounds = { low: estimate - 0.005, high: estimate + 0.005 }
  return {
    ...{ a, b, metric, difference: { estimate, ...bounds }, p, test: 'patient_bootstrap' },
    ...{ correction: 'holm', p_corrected: p, num_pairs: 2, seeds: [0, 1], note: null },
    tests: [{ test: 'patient_bootstrap', estimate, ...bounds, p, note: null }],
  }
}
