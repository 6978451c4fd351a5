import { keysWithoutEffect, without } from '../configuration/assembled.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { type Phrase, phrase } from '../phrases/index.js'
import { type Checked, check } from '../validation/check.js'

type Json = Record<string, unknown>

/** A key that a variant must not set, with the reason. */
export interface ReservedKey {
  readonly path: string
  readonly message: Phrase
  readonly hint: Phrase
}

const ofTheStudy = (path: string, key: string): ReservedKey => ({
  path,
  message: phrase('set_by_study', { key: path }),
  hint: phrase('set_in_study', { key }),
})
const SAME_CASES = [
  'train_csv',
  'val_csv',
  'test_csv',
  'split_column',
  'label_column',
  'label_columns',
  'time_column',
  'event_column',
  'positive_class',
  'patient_column',
].map((key) => ({
  path: `data.${key}`,
  message: phrase('determines_cases', { key: `data.${key}` }),
  hint: phrase('set_in_base_or_apart'),
}))

/** Keys that variants must not change. */
export const RESERVED_KEYS: readonly ReservedKey[] = [
  ofTheStudy('training.seed', 'seeds'),
  ofTheStudy('data.fold', 'folds'),
  ofTheStudy('baselines', 'baselines'),
  {
    path: 'report',
    message: phrase('report_of_study'),
    hint: phrase('set_them_in_base'),
  },
  ...SAME_CASES,
]

/**
 * Complete configuration of a variant: the base with its changes. Sections are merged, every other value is replaced. A base key that loses
 * its effect through the variant returns to its default; a key without effect that the variant sets itself is an error. Baselines are not
 * included: the study sets them.
 */
export function variantConfig(base: object, changes: Json, place = ''): Checked<TrainingConfig> {
  const merged = mergeConfig({ ...base, baselines: [] }, changes)
  const checked = check(TrainingConfig, merged, place)
  const idle = keysWithoutEffect(checked).filter((path) => !isSet(changes, path))
  return idle.length === 0 ? checked : check(TrainingConfig, without(merged, idle), place)
}

/** Merges the keys of `changes` into those of `base`, with nested sections. */
export function mergeConfig(base: object, changes: Json): Json {
  const merged = new Map<string, unknown>(Object.entries(base))
  for (const [key, value] of Object.entries(changes)) {
    const before = merged.get(key)
    merged.set(key, isObject(value) && isObject(before) ? mergeConfig(before, value) : value)
  }
  return Object.fromEntries(merged)
}

export function isSet(changes: Json, path: readonly string[]): boolean {
  let current: unknown = changes
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return false
    current = current[key]
  }
  return true
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
