import type { ErrorIssue, IssueCode } from '../codes/index.js'
import type { Baseline } from '../configuration/baselines.js'
import type { TrainingConfig } from '../configuration/training-config.js'
import { studyMetrics } from '../metrics/task-metrics.js'
import { hintOf, listed, messageOf, type Phrase, phrase } from '../phrases/index.js'
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

interface Problem extends Omit<ErrorIssue, 'path' | 'code'> {
  readonly path: readonly (string | number)[]
  readonly code: IssueCode
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
      phrase('seed_twice', { seed: String(seeds[index]) }),
      phrase('each_seed_once'),
    )
}

function* ofTheBase({ config }: StudyParts): Generator<Problem> {
  if (config.data.fold !== null)
    yield invalid(
      ['config', 'data', 'fold'],
      phrase('set_by_study', { key: 'data.fold' }),
      phrase('folds_of_study'),
    )
}

function* ofTheFolds({ folds }: StudyParts): Generator<Problem> {
  if (folds === null) return
  const { k, repeats, seed, column, values } = folds
  if ((k === undefined) === (column === undefined))
    yield invalid(
      ['folds'],
      phrase(k === undefined ? 'no_folds_given' : 'two_folds_given'),
      phrase('fold_examples', { random: '{"k": 5}', column: '{"column": "site"}' }),
    )
  if (k === undefined && column !== undefined)
    for (const [key, value] of Object.entries({ repeats, seed }))
      if (value !== undefined) yield noEffect(['folds', key], phrase('folds_not_random', { key }), key)
  if (k !== undefined && column === undefined && values !== undefined)
    yield noEffect(['folds', 'values'], phrase('values_without_column'), 'values')
  for (const index of repeated(values ?? []))
    yield invalid(
      ['folds', 'values', index],
      phrase('value_twice', { value: String(values?.[index]) }),
      phrase('remove_one_of_them'),
    )
}

function* ofTheVariants({ config, variants }: StudyParts): Generator<Problem> {
  for (const index of repeated(variants.map(({ name }) => name)))
    yield invalid(
      ['variants', index, 'name'],
      phrase('variant_name_taken', { name: String(variants[index]?.name) }),
      phrase('unique_variant_name'),
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
        phrase('same_variant', { name, other: same }),
        phrase('change_variant'),
      )
    else complete.set(text, name)
  }
}

function* ofTheSearch({ config, variants, search }: StudyParts): Generator<Problem> {
  if (search === null) return
  if (variants.some(({ name }) => name === search.name))
    yield invalid(
      ['search', 'name'],
      phrase('search_name_taken', { name: search.name }),
      phrase('unique_search_name'),
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
          ? phrase('not_a_metric_of_task', { metric, task: String(config.model.task) })
          : phrase('unknown_metric', { metric }),
      ),
      ...suggestAmong(metric, known),
    }
  }
  const names = [...variants.map(({ name }) => name), ...(search ? [search.name] : [])]
  if (reference !== null && !names.includes(reference))
    yield {
      ...invalid(['reference'], phrase('unknown_variant', { name: reference })),
      ...suggestAmong(reference, names),
    }
}

function* ofTheSize(study: StudyParts): Generator<Problem> {
  const folds = foldCount(study.folds)
  const problem = folds === null ? null : tooManyTrainings(study, folds)
  if (problem) yield invalid([], problem.message, problem.hint)
}

/** Reason why a study is too large; null if it is not. @param folds number of folds of all repeats together */
export function tooManyTrainings(
  study: Pick<StudyParts, 'variants' | 'seeds' | 'config' | 'search'>,
  folds: number,
): { message: Phrase; hint: Phrase } | null {
  const { study_trainings: most } = STUDY_LIMITS
  const trials = trialsOf(study)
  const count = (study.variants.length + trials) * seedsOf(study).length * folds
  if (count <= most) return null
  const variants = [phrase('study_variants', { count: String(study.variants.length) })]
  return {
    message: phrase('too_many_trainings', {
      count: String(count),
      settings:
        trials === 0
          ? variants
          : [
              phrase('study_variants_and_trials', {
                variants,
                trials: [phrase('study_trials', { count: String(trials) })],
              }),
            ],
      seeds: [phrase('study_seeds', { count: String(seedsOf(study).length) })],
      folds: [phrase('study_folds', { count: String(folds) })],
      most: String(most),
    }),
    hint: phrase('smaller_study'),
  }
}

function placed({ path, code, ...issue }: ErrorIssue, index: number): Problem {
  return { ...issue, path: ['variants', index, 'config', ...path.split('.')], code: code as IssueCode }
}

/** Indices of values that occur earlier in the list. */
function repeated(values: readonly unknown[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []))
}

function invalid(path: Problem['path'], message: Phrase, hint?: Phrase): Problem {
  return { path, code: 'INVALID_VALUE', ...messageOf(message), ...(hint ? hintOf(hint) : {}) }
}

function noEffect(path: Problem['path'], message: Phrase, key: string): Problem {
  return { path, code: 'NO_EFFECT', ...messageOf(message), ...hintOf(phrase('remove_key', { key })) }
}

function suggestAmong(word: string, known: readonly string[]) {
  return suggest(word, known, phrase('known_names', { names: listed(known.slice(0, 20)) }))
}
