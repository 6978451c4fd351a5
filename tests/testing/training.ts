import { join } from 'node:path'
import type { TrainingConfigInput } from '@medloom/contracts'

type Sections = Omit<TrainingConfigInput, 'baselines'>
type Changes = { [Section in keyof Sections]?: Partial<Sections[Section]> } & Pick<
  TrainingConfigInput,
  'baselines'
>

/**
 * A training of seconds on the synthetic dataset: one network, two epochs at 32 px, no baselines. `changes` are merged into it
 * section by section.
 */
export function trainingConfig(dataset: string, changes: Changes = {}): TrainingConfigInput {
  return {
    data: {
      train_csv: join(dataset, 'train.csv'),
      val_csv: join(dataset, 'val.csv'),
      test_csv: join(dataset, 'test.csv'),
      image_size: [32, 32],
      ...changes.data,
    },
    model: {
      vision_backbone: 'mobilenetv3_small',
      fusion_type: 'concatenate',
      hidden_dim: 16,
      members: 1,
      ...changes.model,
    },
    training: { epochs: 2, batch_size: 8, device: 'cpu', num_workers: 1, ...changes.training },
    baselines: 'baselines' in changes ? changes.baselines : [],
  }
}

/** Long enough to be stopped, observed or killed while it runs. */
export function longTrainingConfig(dataset: string, changes: Changes = {}): TrainingConfigInput {
  return trainingConfig(dataset, { ...changes, training: { epochs: 2000, ...changes.training } })
}
