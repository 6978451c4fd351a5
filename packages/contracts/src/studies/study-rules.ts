import type { ErrorIssue, IssueCode } from '../codes/index.js'
import type { Baseline } from '../configuration/baselines.js'
import type { TrainingConfig } from '../configuration/training-config.js'
import { studyMetrics } from '../metrics/task-metrics.js'
import { suggest } from '../validation/suggest.js'
import { type FoldChoice, foldCount } from './fold-choice.js'
import { STUDY_LIMITS } from './limits.js'
import type { StudySearch } from './search/search-config.js'
import { searchProblems } from './search/search-rules.js'
import { sizeOfSpace } from './search/space.js'
import { studyBaselines } from './study-baselines.js'
import type { StudyVariant } from './study-variant.js'
import { isSet, RESERVED_KEYS, variantConfig } from './variants.js'

/** Parts of a study that its rules read. */
export interface StudyParts {
  readonly config: TrainingConfig
  readonly seeds?: number | readonly number[] | undefined
  readonly folds: FoldChoice | null
  readonly variants: readonly StudyVariant[]
  readonly search: StudySearch | null
  readonly baselines: readonly Baseline[] | null
  readonly metric: string | null
  readonly reference: string | null
}

interface Problem {
  readonly path: readonly (string | number)[]
  readonly code: IssueCode
  readonly message: string
  readonly hint?: string | undefined
  readonly suggestion?: string | undefined
}

/** Seeds of a study, in order. */
export function seedsOf({ seeds, config }: Pick<StudyParts, 'seeds' | 'config'>): readonly number[] {
  if (seeds === undefined) return [config.training.seed]
  return typeof seeds === 'number' ? Array.from({ length: seeds }, (_, seed) => seed) : seeds
}

/** Problems of a study beyond the types of its keys. */
export function* studyProblems(study: StudyParts): Generator<Problem> {
  for (const wrong of [
    ofTheSeeds,
    ofTheBase,
    ofTheFolds,
    ofTheVariants,
    ofTheSearch,
    ofTheBaselines,
    ofTheComparison,
    ofTheSize,
  ])
    yield* wrong(study)
}

function* ofTheSeeds({ seeds }: StudyParts): Generator<Problem> {
  if (typeof seeds !== 'object') return
  for (const index of repeated(seeds))
    yield invalid(
      ['seeds', index],
      `the seed ${seeds[index]} is listed twice`,
      'List each seed once; equal seeds give equal trainings.',
    )
}

function* ofTheBase({ config }: StudyParts): Generator<Problem> {
  if (config.data.fold !== null)
    yield invalid(
      ['config', 'data', 'fold'],
      'data.fold is set by the study for every training',
      'Remove it, and set "folds" of the study.',
    )
}

function* ofTheFolds({ folds }: StudyParts): Generator<Problem> {
  if (folds === null) return
  const { k, repeats, seed, column, values } = folds
  if ((k === undefined) === (column === undefined))
    yield invalid(
      ['folds'],
      k === undefined ? 'neither k nor column is set' : 'both k and column are set',
      'Use {"k": 5} for a cross-validation, or {"column": "site"} to leave one site out.',
    )
  if (k === undefined && column !== undefined)
    for (const [key, value] of Object.entries({ repeats, seed }))
      if (value !== undefined)
        yield noEffect(['folds', key], `${key} has no effect, because folds by column are not random`, key)
  if (k !== undefined && column === undefined && values !== undefined)
    yield noEffect(['folds', 'values'], 'values has no effect without column', 'values')
  for (const index of repeated(values ?? []))
    yield invalid(
      ['folds', 'values', index],
      `the value "${values?.[index]}" is listed twice`,
      'Remove one of them.',
    )
}

function* ofTheVariants({ config, variants }: StudyParts): Generator<Problem> {
  for (const index of repeated(variants.map(({ name }) => name)))
    yield invalid(
      ['variants', index, 'name'],
      `another variant also has the name "${variants[index]?.name}"`,
      'Give each variant a unique name.',
    )
  const complete = new Map<string, string>()
  for (const [index, { name, config: changes }] of variants.entries()) {
    const reserved = RESERVED_KEYS.filter(({ path }) => isSet(changes, path.split('.')))
    for (const { path, message, hint } of reserved)
      yield invalid(['variants', index, 'config', ...path.split('.')], message, hint)
    if (reserved.length > 0) continue
    const checked = variantConfig(config, changes)
    if (!checked.ok) {
      yield* checked.issues.map((issue) => placed(issue, index))
      continue
    }
    const text = JSON.stringify(checked.value)
    const same = complete.get(text)
    if (same !== undefined)
      yield invalid(
        ['variants', index],
        `the variant "${name}" is the same training as "${same}"`,
        'Remove one of them, or change a key in it.',
      )
    else complete.set(text, name)
  }
}

function* ofTheSearch({ config, variants, search }: StudyParts): Generator<Problem> {
  if (search === null) return
  if (variants.some(({ name }) => name === search.name))
    yield invalid(
      ['search', 'name'],
      `a variant also has the name "${search.name}"`,
      'Give the search a unique name.',
    )
  for (const problem of searchProblems(config, search))
    yield { ...problem, path: ['search', ...problem.path] }
}

/** Trials of a search for each seed and fold; 0 without a search or if the search does not set the number. */
export function trialsOf({ search }: Pick<StudyParts, 'search'>): number {
  if (search === null) return 0
  const size = search.trials ?? sizeOfSpace(search.space)
  return Number.isFinite(size) ? size : 0
}

function* ofTheBaselines(study: StudyParts): Generator<Problem> {
  const { problem } = studyBaselines(study)
  if (problem) yield invalid(['baselines'], problem.message, problem.hint)
}

function* ofTheComparison({ config, variants, search, metric, reference }: StudyParts): Generator<Problem> {
  const known = studyMetrics(config.model.task)
  if (metric !== null && !known.includes(metric)) {
    const other = studyMetrics(null).includes(metric)
    yield {
      ...invalid(
        ['metric'],
        other
          ? `${metric} is not a metric of the task ${config.model.task}`
          : `there is no metric "${metric}"`,
      ),
      ...suggestAmong(metric, known),
    }
  }
  const names = [...variants.map(({ name }) => name), ...(search ? [search.name] : [])]
  if (reference !== null && !names.includes(reference))
    yield {
      ...invalid(['reference'], `there is no variant "${reference}"`),
      ...suggestAmong(reference, names),
    }
}

function* ofTheSize(study: StudyParts): Generator<Problem> {
  const folds = foldCount(study.folds)
  const problem = folds === null ? null : tooManyTrainings(study, folds)
  if (problem) yield { path: [], code: 'INVALID_VALUE', ...problem }
}

/** Reason why a study is too large; null if it is not. @param folds number of folds of all repeats together */
export function tooManyTrainings(
  study: Pick<StudyParts, 'variants' | 'seeds' | 'config' | 'search'>,
  folds: number,
): { message: string; hint: string } | null {
  const { study_trainings: most } = STUDY_LIMITS
  const trials = trialsOf(study)
  const count = (study.variants.length + trials) * seedsOf(study).length * folds
  if (count <= most) return null
  const variants = `${study.variants.length} variants`
  const settings = trials === 0 ? variants : `(${variants} + ${trials} trials)`
  return {
    message: `the study would have ${count} trainings (${settings} × ${seedsOf(study).length} seeds × ${folds} folds); at most ${most} are possible`,
    hint: 'Use fewer seeds, repeats, variants or trials, or divide the study.',
  }
}

function placed({ path, code, message, hint, suggestion }: ErrorIssue, index: number): Problem {
  return {
    path: ['variants', index, 'config', ...path.split('.')],
    code: code as IssueCode,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

/** Indices of values that occur earlier in the list. */
function repeated(values: readonly unknown[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []))
}

function invalid(path: Problem['path'], message: string, hint?: string): Problem {
  return { path, code: 'INVALID_VALUE', message, hint }
}

function noEffect(path: Problem['path'], message: string, key: string): Problem {
  return { path, code: 'NO_EFFECT', message, hint: `Remove ${key}.` }
}

function suggestAmong(word: string, known: readonly string[]) {
  return suggest(word, known, `Known: ${known.slice(0, 20).join(', ')}.`)
}
