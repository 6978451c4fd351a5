import { keysWithoutEffect, without } from '../../configuration/assembled.js'
import { TrainingConfig } from '../../configuration/training-config.js'
import { type Checked, check } from '../../validation/check.js'
import { mergeConfig } from '../variants.js'
import type { SearchRange, SearchSettings, SearchSpace } from './search-config.js'

/** Maximum number of settings of a space that are checked before a study starts. */
const MOST_COMBINATIONS = 200

/** Number of different settings in a space; Infinity if a range has no steps. */
export function sizeOfSpace(space: SearchSpace): number {
  return Object.values(space).reduce<number>((size, values) => size * countOf(values), 1)
}

function countOf(values: SearchSpace[string]): number {
  if (Array.isArray(values)) return values.length
  const step = values.step ?? (values.int ? 1 : 0)
  // A tolerance of half a millionth of a step compensates for floating point: 0.5 - 0.2 is not 3 × 0.1.
  return step === 0 ? Number.POSITIVE_INFINITY : Math.floor((values.high - values.low) / step + 5e-7) + 1
}

export interface SearchedConfig {
  readonly checked: Checked<TrainingConfig>
  /** Keys of the settings that have no effect because of the others, such as the weight of a fusion that is not selected. */
  readonly idle: readonly string[]
}

/** The base configuration with the settings of a trial, complete and without baselines. Keys that lose their effect keep their defaults. */
export function searchedConfig(base: object, settings: SearchSettings): SearchedConfig {
  const merged = mergeConfig({ ...base, baselines: [] }, nested(settings))
  const checked = check(TrainingConfig, merged)
  const unused = keysWithoutEffect(checked)
  const within = unused.map((path) => path.join('.'))
  return {
    checked: unused.length === 0 ? checked : check(TrainingConfig, without(merged, unused)),
    idle: Object.keys(settings).filter((key) =>
      within.some((path) => key === path || key.startsWith(`${path}.`)),
    ),
  }
}

/** `{"model.dropout": 0.1}` as nested sections. */
function nested(settings: SearchSettings): Record<string, unknown> {
  return Object.entries(settings).reduce<Record<string, unknown>>((sections, [key, value]) => {
    const inside = key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value)
    return mergeConfig(sections, inside as Record<string, unknown>)
  }, {})
}

/** Settings that represent a space: every choice, and both ends and the middle of every range, in as many combinations as are fast to check. */
export function* representatives(space: SearchSpace): Generator<SearchSettings> {
  const keys = Object.keys(space)
  const values = Object.values(space).map((one) => (Array.isArray(one) ? one : endsAndMiddle(one)))
  const all = values.reduce((product, { length }) => product * length, 1)
  const longest = Math.max(1, ...values.map(({ length }) => length))
  const setting = (indexOf: (key: number) => number) =>
    Object.fromEntries(keys.map((name, key) => [name, values[key]?.[indexOf(key)]]))
  if (all <= MOST_COMBINATIONS)
    for (let number = 0; number < all; number++) {
      let rest = number
      yield setting((key) => {
        const { length = 1 } = values[key] ?? []
        const index = rest % length
        rest = Math.floor(rest / length)
        return index
      })
    }
  else
    for (let round = 0; round < Math.max(longest, MOST_COMBINATIONS); round++)
      yield setting((key) => (round + key * Math.floor(round / longest)) % (values[key]?.length ?? 1))
}

function endsAndMiddle({ low, high, int, step }: SearchRange): number[] {
  const half = (high - low) / 2
  if (step !== undefined) return [low, low + Math.floor(half / step) * step, high]
  // Deliberately not an integer, so that keys that accept only integers are found.
  return [low, int ? low + Math.floor(half) : low + half * 0.987_654_321, high]
}
