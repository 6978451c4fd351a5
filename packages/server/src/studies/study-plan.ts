import {
  atPlace,
  type Fold,
  foreignMetric,
  listed,
  networksOf,
  type Phrase,
  PRIMARY_METRIC,
  phrase,
  requestedFolds,
  type StudyConfig,
  type StudyTraining,
  studyMetrics,
  studyTrainings,
  type Task,
  type TrainingConfig,
  tooManyTrainings,
  trainerConfig,
  trainingOfStudy,
  variantConfig,
} from '@medloom/contracts'
import { AppError, issueAt, refusal } from '../errors.js'
import type { TaskPool, TaskResult } from '../ports/task-pool.js'
import type { Roots } from '../security/roots.js'
import type { DataFolder } from '../storage/data-folder.js'
import type { TrainingGateway } from '../training/training-gateway.js'
import { refuseLargeBatches } from './study-batches.js'

export interface StudyPlannerOptions {
  readonly trainings: Pick<TrainingGateway, 'check' | 'estimate'>
  readonly pool: Pick<TaskPool, 'run'>
  readonly folder: Pick<DataFolder, 'cache'>
  readonly roots: Pick<Roots, 'folders'>
}

/** A study that can start. */
export interface PlannedStudy {
  /** Complete, with absolute paths. */
  readonly config: StudyConfig
  readonly metric: string
  readonly reference: string
  readonly trainings: readonly StudyTraining[]
  /** Number of networks in all trainings together. */
  readonly networks: number
  /** Approximate number of training cases in each. */
  readonly casesOfTraining: number
}

/**
 * Check everything that a study names before it is accepted: the files and checkpoints of every variant, the tables, and the folds.
 * @throws AppError like the start of a training, with paths such as variants.2.config.model.pretrained; FOLDS_IMPOSSIBLE, BATCH_TOO_LARGE,
 * and errors in the tables; INVALID_REQUEST for a metric of another task or a value that the column does not have.
 */
export async function planStudy(
  given: StudyConfig,
  options: StudyPlannerOptions,
  signal: AbortSignal,
): Promise<PlannedStudy> {
  const config = await withPaths(given, options.trainings)
  const read = await options.pool.run(
    'study_folds',
    {
      config: trainerConfig(config.config),
      folds: config.folds && requestedFolds(config.folds),
      cache_dir: options.folder.cache,
      roots: [...options.roots.folders],
    },
    { signal },
  )
  const task = taskOf(config.config, read)
  const metric = config.metric ?? PRIMARY_METRIC[task]
  if (!studyMetrics(task).includes(metric))
    throw invalid(
      'metric',
      phrase('not_a_metric_of_task', { metric, task }),
      phrase('use_one_of', { names: listed(studyMetrics(task)) }),
    )
  if (config.search)
    for (const { path, code: _, ...issue } of foreignMetric(
      { ...config.config, model: { ...config.config.model, task } },
      config.search,
    ))
      throw refusal([{ ...issue, path: `search.${path.join('.')}`, code: 'INVALID_REQUEST' }])
  const folds = foldsOf(config, read)
  const tooMany = tooManyTrainings(config, folds.length)
  if (tooMany) throw invalid('folds', tooMany.message, tooMany.hint)
  const chosen = read.folds.filter(({ fold }) => folds.includes(fold))
  refuseLargeBatches(config, read, chosen)
  const trainings = studyTrainings(config, folds)
  return {
    config,
    metric,
    reference: config.reference ?? config.variants[0]?.name ?? '',
    trainings,
    networks: networksOfAll(config, trainings),
    casesOfTraining: casesOfTraining(read),
  }
}

/** Mean over the folds. */
function casesOfTraining({ cases, training_cases, folds }: TaskResult<'study_folds'>): number {
  if (folds.length === 0) return training_cases ?? cases
  return Math.round(folds.reduce((sum, fold) => sum + fold.training_cases, 0) / folds.length)
}

/** Every training of a variant has the same number of networks; the settings of a trial are not known yet, so it counts like the base. */
function networksOfAll(config: StudyConfig, trainings: readonly StudyTraining[]): number {
  const ofTrial = networksOf({ ...config.config, baselines: [] })
  const byVariant = new Map<string, number>()
  let total = 0
  for (const training of trainings) {
    const { variant, trial } = training
    const known = trial === null ? byVariant.get(variant) : ofTrial
    const networks = known ?? networksOf(trainingOfStudy(config, training))
    byVariant.set(variant, networks)
    total += networks
  }
  return total
}

/** The task, from the tables and the configuration. */
function taskOf({ data, model }: TrainingConfig, read: TaskResult<'study_folds'>): Task {
  if (model.task !== null) return model.task
  if (data.label_columns !== null) return 'multilabel'
  if (data.time_column !== null) return 'survival'
  return read.class_counts === null ? 'regression' : 'classification'
}

/** The folds of the tables that the study requests. */
function foldsOf({ folds }: StudyConfig, read: TaskResult<'study_folds'>): (Fold | null)[] {
  if (folds === null) return [null]
  const there = read.folds.map(({ fold }) => fold)
  if (!folds.values) return there
  return folds.values.map((value, index) => {
    const fold = there.find((one) => 'value' in one && one.value === value)
    if (fold) return fold
    throw invalid(
      `folds.values.${index}`,
      phrase('no_row_of_fold', { value, column: folds.column ?? '' }),
      phrase('use_one_of', {
        names: listed(there.flatMap((one) => ('value' in one ? [`"${one.value}"`] : [])).slice(0, 20)),
      }),
    )
  })
}

/** The study with absolute paths, in the base and in every variant. */
async function withPaths(
  study: StudyConfig,
  trainings: Pick<TrainingGateway, 'check'>,
): Promise<StudyConfig> {
  const config = await trainings.check(study.config)
  const variants: StudyConfig['variants'] = []
  for (const [index, variant] of study.variants.entries()) {
    const complete = variantConfig(study.config, variant.config)
    if (!complete.ok) throw refusal(complete.issues)
    const checked = await trainings.check(complete.value).catch((error: unknown) => {
      throw error instanceof AppError ? inVariant(index, error) : error
    })
    variants.push({ ...variant, config: withPathsOf(variant.config, checked) })
  }
  return { ...study, config, variants }
}

/** The changes of a variant with the values of the complete configuration for the same keys. */
function withPathsOf(changes: Record<string, unknown>, checked: TrainingConfig): Record<string, unknown> {
  const complete = checked as unknown as Record<string, Record<string, unknown> | undefined>
  return Object.fromEntries(
    Object.entries(changes).map(([section, keys]) => [
      section,
      typeof keys !== 'object' || keys === null
        ? keys
        : Object.fromEntries(
            Object.entries(keys).map(([key, value]) => [
              key,
              typeof value === 'string' ? (complete[section]?.[key] ?? value) : value,
            ]),
          ),
    ]),
  )
}

function inVariant(index: number, error: AppError): AppError {
  const place = (path: string) => `variants.${index}.${path}`
  const issues = error.issues.map((issue) => ({ ...issue, path: place(issue.path) }))
  return new AppError(error.code, atPlace(`variants.${index}`, error.text), error.remedy, issues)
}

function invalid(path: string, message: Phrase, hint: Phrase): AppError {
  return refusal([issueAt(path, new AppError('INVALID_REQUEST', message, hint))])
}
