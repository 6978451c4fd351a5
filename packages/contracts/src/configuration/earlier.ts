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
