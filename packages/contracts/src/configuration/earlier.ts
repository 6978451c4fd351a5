import { check } from '../validation/check.js'
import { keysWithoutEffect, without } from './assembled.js'
import { TrainerConfig, TrainingConfig } from './training-config.js'

/** Keys whose default is not what was done before they existed. Their declaration says what was: `before_it_existed`. */
const LATER_KEYS = Object.entries(TrainerConfig.shape).flatMap(([section, { shape }]) =>
  Object.entries(shape).flatMap(([key, schema]) => {
    const value: unknown = schema.meta()?.before_it_existed
    return value === undefined ? [] : [{ section, key, value }]
  }),
)

/**
 * The configuration that a job was stored with, with what was done in place of keys that came since. Keys whose default says that stay
 * absent, and so do those that would have no effect.
 */
export function withWhatWasDone(stored: object): object {
  const absent = LATER_KEYS.filter(({ section, key }) => {
    const keys = (stored as Record<string, object | undefined>)[section]
    return keys !== undefined && !(key in keys)
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
 * The whole configuration of a job that an earlier version stored: with all keys of today, as a response declares them. A job of before
 * baselines existed has none. One that is not valid any more is shown as it is.
 */
export function storedConfig(stored: object): object {
  const done = withWhatWasDone(stored) as Partial<Record<string, object>>
  const isWhole =
    done.baselines !== undefined &&
    Object.entries(TrainerConfig.shape).every(([section, { shape }]) =>
      Object.keys(shape).every((key) => key in (done[section] ?? {})),
    )
  if (isWhole) return done
  const checked = check(TrainingConfig, { baselines: [], ...done })
  return checked.ok ? checked.value : done
}

/** Keys that version 0.1.0 did not have, and whose default is what it did. */
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
 * A configuration that a file contains. Medloom writes all keys: a file that has those of the first version but not a later one was
 * saved before that one existed, and trains what it trained then. A file with only some keys was written by hand, for the defaults of today.
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
  return isWhole ? withWhatWasDone(config) : config
}
