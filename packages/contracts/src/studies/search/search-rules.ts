import type { ErrorIssue, IssueCode } from '../../codes/index.js'
import { PATH_KEYS } from '../../configuration/path-keys.js'
import { TrainingConfig } from '../../configuration/training-config.js'
import { check } from '../../validation/check.js'
import { RESERVED_KEYS } from '../variants.js'
import type { SearchRange, SearchSettings, SearchSpace, StudySearch } from './search-config.js'
import { LOSS_KEYS, searchMetric } from './search-metric.js'
import { representatives, searchedConfig, sizeOfSpace } from './space.js'

interface Problem {
  readonly path: readonly (string | number)[]
  readonly code: IssueCode
  readonly message: string
  readonly hint?: string | undefined
}

/** Keys that a search must not change, with the reasons. Trials are compared on the same validation cases. */
const KEPT: ReadonlyMap<string, { readonly message: string; readonly hint: string }> = new Map([
  ...RESERVED_KEYS.map(({ path, message, hint }) => [path, { message, hint }] as const),
  ...['data.val_fraction', 'model.task'].map(
    (path) =>
      [
        path,
        {
          message: `${path} determines the validation cases, but trials are compared on the same cases`,
          hint: 'Set it in the base configuration.',
        },
      ] as const,
  ),
  ...PATH_KEYS.map(
    ({ section, key }) =>
      [
        `${section}.${key}`,
        {
          message: `${section}.${key} is a file path and cannot be searched`,
          hint: 'Use "variants" for it.',
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
      'the space has no keys',
      'Add at least one key, such as {"model.dropout": [0.1, 0.3]}.',
    )
  for (const [key, values] of Object.entries(space)) {
    const fixed = [...KEPT].find(([path]) => key === path || key.startsWith(`${path}.`))
    if (fixed) yield invalid(['space', key], fixed[1].message, fixed[1].hint)
    const outer = keys.find((other) => other !== key && key.startsWith(`${other}.`))
    if (outer !== undefined)
      yield invalid(
        ['space', key],
        `${key} is part of ${outer}, which is also in the space`,
        'Remove one of them.',
      )
    if (Array.isArray(values)) yield* ofTheChoices(key, values)
    else yield* ofTheRange(key, values)
  }
}

function* ofTheChoices(key: string, choices: readonly unknown[]): Generator<Problem> {
  const texts = choices.map((choice) => JSON.stringify(choice))
  if (choices.length === 1)
    yield invalid(
      ['space', key],
      'there is only one choice',
      'Add another choice, or set the value in the base configuration.',
    )
  for (const [index, text] of texts.entries())
    if (texts.indexOf(text) < index)
      yield invalid(['space', key, index], `the choice ${text} is listed twice`, 'Remove one of them.')
  const drop = key === 'data.missing_strategy' ? choices.indexOf('drop') : -1
  if (drop >= 0)
    yield invalid(
      ['space', key, drop],
      '"drop" removes cases, but trials are compared on the same cases',
      'Remove it.',
    )
}

function* ofTheRange(key: string, { low, high, log, step, int }: SearchRange): Generator<Problem> {
  const path = ['space', key]
  if (low >= high) yield invalid([...path, 'high'], `high (${high}) must be above low (${low})`)
  if (log && low <= 0) yield invalid([...path, 'low'], 'a logarithmic scale requires low to be above 0')
  if (log && step !== undefined)
    yield invalid([...path, 'step'], 'step and log cannot be combined', 'Remove step or log.')
  if (int)
    for (const [name, value] of Object.entries({ low, high, step }))
      if (value !== undefined && !Number.isInteger(value))
        yield invalid([...path, name], `${name} must be an integer if int is true`)
}

function* ofTheMetric(config: TrainingConfig, search: StudySearch): Generator<Problem> {
  const { metric } = searchMetric(config, search)
  const changing = LOSS_KEYS.find((key) => Object.keys(search.space).includes(key))
  if (metric === 'val_loss' && changing !== undefined)
    yield invalid(
      ['metric'],
      `val_loss cannot compare trials with different ${changing}, because the loss differs between them`,
      'Use val_auc, val_accuracy, val_mae or val_r2.',
    )
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
  for (const { path, message, hint } of checked.issues)
    if (path === 'training.early_stopping.monitor') yield invalid(['metric'], message, hint)
}

function* ofThePruner({ pruner, ...search }: StudySearch): Generator<Problem> {
  for (const key of ['startup_trials', 'warmup_epochs'] as const)
    if (pruner === 'none' && search[key] !== undefined)
      yield {
        path: [key],
        code: 'NO_EFFECT',
        message: `${key} has no effect without a pruner`,
        hint: `Remove ${key}, or set pruner to median.`,
      }
}

function* ofTheTrials({ sampler, trials, space }: StudySearch): Generator<Problem> {
  const size = sizeOfSpace(space)
  if (sampler === 'grid') {
    for (const [key, values] of Object.entries(space))
      if (sizeOfSpace({ [key]: values }) === Number.POSITIVE_INFINITY)
        yield invalid(
          ['space', key],
          'a grid requires ranges with a step',
          'Set a step or a list of choices, or use the sampler random or tpe.',
        )
    if (trials !== null && Number.isFinite(size) && trials !== size)
      yield invalid(
        ['trials'],
        `the grid has ${size} settings, each of which is tried once, but trials is ${trials}`,
        `Remove trials, ${trials < size ? 'or use the sampler random' : 'or widen the space'}.`,
      )
  } else if (trials === null)
    yield {
      path: ['trials'],
      code: 'MISSING_FIELD',
      message: 'required',
      hint: 'Set the number of settings to try for each seed and fold, such as 20.',
    }
  else if (trials > size)
    yield invalid(
      ['trials'],
      `trials exceeds the number of settings in the space (${size})`,
      `Use at most ${size} trials, or widen the space.`,
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
      message: `${key} has no effect for any values of the other keys`,
      hint: 'Remove it.',
    }
}

function placed({ path, code, message, hint }: ErrorIssue, settings: SearchSettings): Problem {
  const key = Object.keys(settings).find(
    (one) => one === path || one.startsWith(`${path}.`) || path.startsWith(`${one}.`),
  )
  const others = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  const value = key === undefined ? '' : JSON.stringify(settings[key])
  const whole = key !== undefined && /\bint\b|integer/.test(message) && typeof settings[key] === 'number'
  return {
    path: key === undefined ? ['space'] : ['space', key],
    code: code as IssueCode,
    message: key === undefined ? `${path}: ${message} (with ${others.join(', ')})` : `${value}: ${message}`,
    hint: whole ? 'Add "int": true to the range.' : hint,
  }
}

function invalid(path: Problem['path'], message: string, hint?: string): Problem {
  return { path, code: 'INVALID_VALUE', message, hint }
}
