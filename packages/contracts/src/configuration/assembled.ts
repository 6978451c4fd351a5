import { type Checked, check } from '../validation/check.js'
import { NO_EFFECT } from './rules.js'
import { TrainingConfig } from './training-config.js'

/**
 * Check a configuration that nobody wrote as a whole: nodes put it together, or another version stored it. A key without effect is
 * nobody's mistake there and is left out, so that the record of the job says only what was done.
 */
export function checkAssembled(document: object, place = ''): Checked<TrainingConfig> {
  const checked = check(TrainingConfig, document, place)
  if (checked.ok) return checked
  const ineffective = keysWithoutEffect(checked)
  return ineffective.length === 0 ? checked : check(TrainingConfig, without(document, ineffective), place)
}

/** [section, key] of each key that would change nothing. */
export function keysWithoutEffect(checked: Checked<TrainingConfig>): string[][] {
  const issues = checked.ok ? [] : checked.issues
  return issues.filter(({ code }) => code === NO_EFFECT).map(({ path }) => path.split('.').slice(-2))
}

export function without(document: object, keys: readonly (readonly string[])[]): object {
  return Object.fromEntries(
    Object.entries(document).map(([section, values]) => [
      section,
      values === null || typeof values !== 'object' || Array.isArray(values)
        ? values
        : Object.fromEntries(
            Object.entries(values).filter(
              ([name]) => !keys.some(([in_, key]) => in_ === section && key === name),
            ),
          ),
    ]),
  )
}
