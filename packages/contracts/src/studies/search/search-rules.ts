import type { ErrorIssue, IssueCode } from '../../codes/index.js'
import { PATH_KEYS } from '../../configuration/path-keys.js'
import { TrainingConfig } from '../../configuration/training-config.js'
import { hintOf, listed, messageOf, type Phrase, phrase } from '../../phrases/index.js'
import { check } from '../../validation/check.js'
import { RESERVED_KEYS } from '../variants.js'
import type { SearchRange, SearchSettings, SearchSpace, StudySearch } from './search-config.js'
import { LOSS_KEYS, searchMetric } from './search-metric.js'
import { representatives, searchedConfig, sizeOfSpace } from './space.js'

interface Problem extends Omit<ErrorIssue, 'path' | 'code'> {
  readonly path: readonly (string | number)[]
  readonly code: IssueCode
}

/** Keys that a search must not change, with the reasons. Trials are compared on the same validation cases. */
const KEPT: ReadonlyMap<string, { readonly message: Phrase; readonly hint: Phrase }> = new Map([
  ...RESERVED_KEYS.map(({ path, message, hint }) => [path, { message, hint }] as const),
  ...['data.val_fraction', 'model.task'].map(
    (path) =>
      [
        path,
        {
          message: phrase('determines_validation', { key: path }),
          hint: phrase('set_in_base'),
        },
      ] as const,
  ),
  ...PATH_KEYS.map(
    ({ section, key }) =>
      [
        `${section}.${key}`,
        {
          message: phrase('path_not_searched', { key: `${section}.${key}` }),
          hint: phrase('use_variants'),
        },
      ] as const,
  ),
])

/** Problems of a search with a valid base configuration. */
export function* searchProblems(config: TrainingConfig, search: StudySearch): Generator<Problem> {
  const problems = [...ofTheKeys(search.space), ...ofTheMetric(config, search), ...ofThePruner(search)]
  yield* problems
  if (problems.length > 0) return
  const counted = [...ofTheTrials(search)]
  yield* counted
  if (counted.length === 0) yield* ofTheSettings(config, search.space)
}

function* ofTheKeys(space: SearchSpace): Generator<Problem> {
  const keys = Object.keys(space)
  if (keys.length === 0)
    yield invalid(
      ['space'],
      phrase('empty_space'),
      phrase('add_search_key', { example: '{"model.dropout": [0.1, 0.3]}' }),
    )
  for (const [key, values] of Object.entries(space)) {
    const fixed = [...KEPT].find(([path]) => key === path || key.startsWith(`${path}.`))
    if (fixed) yield invalid(['space', key], fixed[1].message, fixed[1].hint)
    const outer = keys.find((other) => other !== key && key.startsWith(`${other}.`))
    if (outer !== undefined)
      yield invalid(['space', key], phrase('key_within_key', { key, outer }), phrase('remove_one_of_them'))
    if (Array.isArray(values)) yield* ofTheChoices(key, values)
    else yield* ofTheRange(key, values)
  }
}

function* ofTheChoices(key: string, choices: readonly unknown[]): Generator<Problem> {
  const texts = choices.map((choice) => JSON.stringify(choice))
  if (choices.length === 1) yield invalid(['space', key], phrase('one_choice'), phrase('another_choice'))
  for (const [index, text] of texts.entries())
    if (texts.indexOf(text) < index)
      yield invalid(
        ['space', key, index],
        phrase('choice_twice', { choice: text }),
        phrase('remove_one_of_them'),
      )
  const drop = key === 'data.missing_strategy' ? choices.indexOf('drop') : -1
  if (drop >= 0) yield invalid(['space', key, drop], phrase('drop_removes_cases'), phrase('remove_it'))
}

function* ofTheRange(key: string, { low, high, log, step, int }: SearchRange): Generator<Problem> {
  const path = ['space', key]
  if (low >= high)
    yield invalid([...path, 'high'], phrase('high_above_low', { high: String(high), low: String(low) }))
  if (log && low <= 0) yield invalid([...path, 'low'], phrase('log_above_zero'))
  if (log && step !== undefined)
    yield invalid([...path, 'step'], phrase('step_and_log'), phrase('no_step_or_log'))
  if (int)
    for (const [name, value] of Object.entries({ low, high, step }))
      if (value !== undefined && !Number.isInteger(value))
        yield invalid([...path, name], phrase('must_be_integer', { name }))
}

function* ofTheMetric(config: TrainingConfig, search: StudySearch): Generator<Problem> {
  const { metric } = searchMetric(config, search)
  const changing = LOSS_KEYS.find((key) => Object.keys(search.space).includes(key))
  if (metric === 'val_loss' && changing !== undefined)
    yield invalid(['metric'], phrase('loss_not_comparable', { key: changing }), phrase('use_other_metric'))
  yield* foreignMetric(config, search)
}

/** A validation metric of another task. @param config includes the task, as far as it is known. */
export function* foreignMetric(config: TrainingConfig, { metric }: StudySearch): Generator<Problem> {
  const training = {
    ...config.training,
    early_stopping: { ...config.training.early_stopping, monitor: metric },
  }
  const checked = check(TrainingConfig, { ...config, training })
  if (checked.ok) return
  for (const { path, code: _, ...issue } of checked.issues)
    if (path === 'training.early_stopping.monitor')
      yield { ...issue, path: ['metric'], code: 'INVALID_VALUE' }
}

function* ofThePruner({ pruner, ...search }: StudySearch): Generator<Problem> {
  for (const key of ['startup_trials', 'warmup_epochs'] as const)
    if (pruner === 'none' && search[key] !== undefined)
      yield {
        path: [key],
        code: 'NO_EFFECT',
        ...messageOf(phrase('no_effect_without_pruner', { key })),
        ...hintOf(phrase('no_key_or_pruner', { key })),
      }
}

function* ofTheTrials({ sampler, trials, space }: StudySearch): Generator<Problem> {
  const size = sizeOfSpace(space)
  if (sampler === 'grid') {
    for (const [key, values] of Object.entries(space))
      if (sizeOfSpace({ [key]: values }) === Number.POSITIVE_INFINITY)
        yield invalid(['space', key], phrase('grid_without_step'), phrase('step_or_sampler'))
    if (trials !== null && Number.isFinite(size) && trials !== size)
      yield invalid(
        ['trials'],
        phrase('grid_size_differs', { size: String(size), trials: String(trials) }),
        phrase(trials < size ? 'no_trials_or_random' : 'no_trials_or_wider'),
      )
  } else if (trials === null)
    yield {
      path: ['trials'],
      code: 'MISSING_FIELD',
      ...messageOf(phrase('required')),
      ...hintOf(phrase('set_trials')),
    }
  else if (trials > size)
    yield invalid(
      ['trials'],
      phrase('more_trials_than_settings', { size: String(size) }),
      phrase('fewer_trials_or_wider', { size: String(size) }),
    )
}

/** Every key must have an effect, and every setting must be a valid configuration. */
function* ofTheSettings(config: TrainingConfig, space: SearchSpace): Generator<Problem> {
  const keys = Object.keys(space)
  const used = new Map(keys.map((key) => [key, new Set<string>()]))
  const reported = new Set<string>()
  for (const settings of representatives(space)) {
    const searched = searchedConfig(config, settings)
    for (const key of keys)
      if (!searched.idle.includes(key)) used.get(key)?.add(JSON.stringify(settings[key]))
    if (searched.checked.ok) continue
    for (const issue of searched.checked.issues) {
      const problem = placed(issue, settings)
      const place = problem.path.join('.')
      if (!reported.has(place)) yield problem
      reported.add(place)
    }
  }
  if (reported.size > 0) return
  // A default is never rejected, so a single value proves nothing.
  for (const key of keys.filter((one) => (used.get(one)?.size ?? 0) < 2))
    yield {
      path: ['space', key],
      code: 'NO_EFFECT',
      ...messageOf(phrase('searched_without_effect', { key })),
      ...hintOf(phrase('remove_it')),
    }
}

function placed({ path, code, ...issue }: ErrorIssue, settings: SearchSettings): Problem {
  const key = Object.keys(settings).find(
    (one) => one === path || one.startsWith(`${path}.`) || path.startsWith(`${one}.`),
  )
  const others = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  const value = key === undefined ? '' : JSON.stringify(settings[key])
  const isNotWhole = issue.message_phrases?.some(({ code }) => code === 'not_whole')
  const whole = key !== undefined && isNotWhole && typeof settings[key] === 'number'
  const message = issue.message_phrases ?? issue.message
  return {
    ...issue,
    path: key === undefined ? ['space'] : ['space', key],
    code: code as IssueCode,
    ...messageOf(
      key === undefined
        ? phrase('at_settings', { key: path, message, settings: listed(others) })
        : phrase('at_value', { value, message }),
    ),
    ...(whole ? hintOf(phrase('add_int')) : {}),
  }
}

function invalid(path: Problem['path'], message: Phrase, hint?: Phrase): Problem {
  return { path, code: 'INVALID_VALUE', ...messageOf(message), ...(hint ? hintOf(hint) : {}) }
}
