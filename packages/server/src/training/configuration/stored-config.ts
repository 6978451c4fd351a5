import { checkAssembled, phrase, type TrainingConfig } from '@medloom/contracts'
import { refusal } from '../../errors.js'

/**
 * Read a stored configuration, possibly written by another version of the service, under the current contract: newer keys get their
 * defaults, and keys without effect are removed.
 * @throws AppError that names each key which is not valid any more.
 */
export function readStoredConfig(stored: object): TrainingConfig {
  const checked = checkAssembled(stored, 'config')
  if (checked.ok) return checked.value
  throw refusal(checked.issues, phrase('config_of_other_version'))
}
