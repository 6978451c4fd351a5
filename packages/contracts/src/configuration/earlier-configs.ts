import { check } from '../validation/check.js'
import { keysWithoutEffect, without } from './assembled.js'
import { TrainerConfig, TrainingConfig } from './training-config.js'

/**
 * Keys whose default differs from the behavior before the key existed. Their declaration contains that behavior: `before_it_existed`.
 * A default may be older than its key: configurations with the key that `default_since` names already had it.
 */
const LATER_KEYS = Object.entries(TrainerConfig.shape).flatMap(([section, { shape }]) =>
  Object.entries(shape).flatMap(([key, schema]) => {
    const { before_it_existed: value, default_since } = schema.meta() ?? {}
    return value === undefined ? [] : [{ section, key, value, default_since }]
  }),
)

/**
 * The stored configuration of a job with explicit values for keys that were added later. Keys whose default equals the earlier behavior
 * stay absent, and so do keys without effect.
 */
export function withEarlierBehavior(stored: object): object {
  const absent = LATER_KEYS.filter(({ section, key, default_since }) => {
    const keys = (stored as Record<string, object | undefined>)[section]
    return keys !== undefined && !(key in keys) && !(String(default_since) in keys)
  })
  if (absent.length === 0) return stored
  const filled = { ...stored } as Record<string, Record<string, unknown>>
  for (const { section, key, value } of absent) filled[section] = { ...filled[section], [key]: value }
  const idle = keysWithoutEffect(check(TrainingConfig, filled)).filter(([section, key]) =>
    absent.some((later) => later.section === section && later.key === key),
  )
  return without(filled, idle)
}

/**
 * The complete configuration of a job stored by an earlier version, with all current keys, as a response declares them. A job from before
 * baselines existed has none. A configuration that is no longer valid is returned unchanged.
 */
export function storedConfig(stored: object): object {
  const done = withEarlierBehavior(stored) as Partial<Record<string, object>>
  const isWhole =
    done.baselines !== undefined &&
    Object.entries(TrainerConfig.shape).every(([section, { shape }]) =>
      Object.keys(shape).every((key) => key in (done[section] ?? {})),
    )
  if (isWhole) return done
  const checked = check(TrainingConfig, { baselines: [], ...done })
  return checked.ok ? checked.value : done
}

/** Keys that version 0.1.0 did not have, and whose default equals its behavior. */
const SINCE_0_1_0: ReadonlySet<string> = new Set([
  'data.fold',
  'data.validation',
  'data.label_columns',
  'data.time_column',
  'data.event_column',
  'data.positive_class',
  'model.image_weight',
  'model.survival_intervals',
  'model.fine_tune_from',
])

/**
 * A configuration read from a file. Medloom writes all keys: a file with the keys of the first version but without a later key was saved
 * before that key existed, and must train as it did then. A file with only some keys was written by hand, for the current defaults.
 */
export function asSaved(config: object): object {
  const isWhole = Object.entries(TrainerConfig.shape).every(([section, { shape }]) => {
    const keys = (config as Record<string, object | null | undefined>)[section]
    if (typeof keys !== 'object' || keys === null) return false
    return Object.keys(shape).every(
      (key) =>
        key in keys ||
        SINCE_0_1_0.has(`${section}.${key}`) ||
        LATER_KEYS.some((later) => later.section === section && later.key === key),
    )
  })
  return isWhole ? withEarlierBehavior(config) : config
}

/**
 * The configuration of a request. One with every key of version 0.1.0 and no key that depends on a later default was saved from a response
 * of that version. In any other one a missing key may have been removed on purpose.
 */
export function asSent(config: object): object {
  const sections = config as Record<string, unknown>
  const isLater = LATER_KEYS.some(({ section, key }) => {
    const keys = sections[section]
    return typeof keys === 'object' && keys !== null && key in keys
  })
  return isLater ? config : asSaved(config)
}
