import { checkAssembled, type TrainingConfig } from '@medloom/contracts'
import { refusal } from '../../errors.js'

/**
 * A configuration that was stored, perhaps by another version of the service, as the contract of today reads it: keys that came since
 * have their defaults, keys without effect are left out.
 * @throws AppError that names each key which is not valid any more.
 */
export function readStoredConfig(stored: object): TrainingConfig {
  const checked = checkAssembled(stored, 'config')
  if (checked.ok) return checked.value
  throw refusal(
    checked.issues,
    'The configuration of the job is not valid in this version; start a new training with these keys corrected.',
  )
}
