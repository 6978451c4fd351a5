import type { CheckpointState, TrainingConfig } from '@medloom/contracts'
import { readStoredConfig } from './stored-config.js'

/**
 * The configuration with which a checkpoint was trained, and the properties inferred from its data: the task, the columns that its model
 * reads and the positive class. @throws AppError INVALID_CONFIG if this version cannot read it.
 */
export function trainedConfig({ config, task, classes, preprocessing }: CheckpointState): TrainingConfig {
  const stored = readStoredConfig(config)
  const { data, model } = stored
  const columns = (numeric: boolean) =>
    preprocessing.table.columns.filter(({ kind }) => (kind === 'numeric') === numeric).map(({ name }) => name)
  return {
    ...stored,
    data: {
      ...data,
      label_column: preprocessing.label_column,
      label_columns: task === 'multilabel' ? (preprocessing.label_columns ?? null) : null,
      positive_class: task === 'classification' && classes?.length === 2 ? (classes[1] ?? null) : null,
      ...(model.vision_backbone === 'none' ? {} : { image_columns: preprocessing.image_columns }),
      ...(model.fusion_type === 'none'
        ? {}
        : { numeric_columns: columns(true), categorical_columns: columns(false) }),
    },
    model: { ...model, task },
  }
}
