import {
  atPlace,
  messageOf,
  type Prepared,
  phrase,
  readDevice,
  type TrainingConfig,
} from '@medloom/contracts'
import { AppError } from '../errors.js'

/**
 * The table that a training's configuration names for a split: test_csv for "test", val_csv for "val", and for any split the training table
 * when it has a split column.
 * @throws AppError INVALID_REQUEST when it names none.
 */
export function defaultTable(config: TrainingConfig, prepared: Prepared | null, split: string): string {
  const { train_csv, val_csv, test_csv } = config.data
  if (split === 'test' && test_csv !== null) return test_csv
  if (split === 'val' && val_csv !== null) return val_csv
  if (prepared?.split_column) return train_csv
  throw new AppError(
    'INVALID_REQUEST',
    atPlace('test_csv', phrase('test_table_absent', { split: split.slice(0, 64) })),
    phrase('set_test_csv'),
    [
      {
        path: 'test_csv',
        code: 'MISSING_FIELD',
        ...messageOf(phrase('split_without_table')),
      },
    ],
  )
}

/**
 * Evaluation runs in one process: on the first device of the training, or on a device of this machine if the training used several nodes.
 */
export function evaluationDevice(device: string): string {
  if (device.startsWith('cpu')) return 'cpu'
  if (readDevice(device).nodes > 1) return 'auto'
  return device.split(',', 1)[0] ?? device
}
