import { keysWithoutEffect, without } from '../configuration/assembled.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { type Checked, check } from '../validation/check.js'

type Json = Record<string, unknown>

/** A key of a variant that is not its own to set, and why. */
export interface ReservedKey {
  readonly path: string
  readonly message: string
  readonly hint: string
}

const ofTheStudy = (path: string, key: string): ReservedKey => ({
  path,
  message: `${path} is set by the study for every training`,
  hint: `Set "${key}" of the study.`,
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
  message: `data.${key} decides which cases there are and what is predicted: the variants of a study are compared on the same cases`,
  hint: 'Set it in the base configuration, or start a study of its own.',
}))

/** Keys that no variant may change. */
export const RESERVED_KEYS: readonly ReservedKey[] = [
  ofTheStudy('training.seed', 'seeds'),
  ofTheStudy('data.fold', 'folds'),
  ofTheStudy('baselines', 'baselines'),
  {
    path: 'report',
    message: 'the texts of the report belong to the whole study',
    hint: 'Set them in the base configuration.',
  },
  ...SAME_CASES,
]

/**
 * The base with what the variant changes, complete. Sections are merged, every other value is replaced. A key of the base that loses its
 * effect through the variant keeps its default; one that the variant sets itself without effect is its mistake. Without baselines: they
 * are the study's.
 */
export function variantConfig(base: object, changes: Json, place = ''): Checked<TrainingConfig> {
  const merged = mergeConfig({ ...base, baselines: [] }, changes)
  const checked = check(TrainingConfig, merged, place)
  const idle = keysWithoutEffect(checked).filter((path) => !isSet(changes, path))
  return idle.length === 0 ? checked : check(TrainingConfig, without(merged, idle), place)
}

/** The keys of `changes` over those of `base`, sections within sections. */
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
