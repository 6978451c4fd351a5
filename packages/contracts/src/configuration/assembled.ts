import { type Checked, check } from '../validation/check.js'
import { NO_EFFECT } from './rules.js'
import { TrainingConfig } from './training-config.js'

/**
 * Checks a configuration that no user wrote as a whole: nodes assemble it, or another version stored it. Keys without effect are not errors
 * there and are removed, so that the record of the job contains only keys that were used.
 */
export function checkAssembled(document: object, place = ''): Checked<TrainingConfig> {
  const checked = check(TrainingConfig, document, place)
  if (checked.ok) return checked
  const ineffective = keysWithoutEffect(checked)
  return ineffective.length === 0 ? checked : check(TrainingConfig, without(document, ineffective), place)
}

/** [section, key] of each key that has no effect. */
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
