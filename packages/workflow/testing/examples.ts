import type { Workflow } from '@medloom/contracts'
import { workflowOf } from './arithmetic.js'

/** A typical first workflow: a dataset, preprocessed images, a fusion model, trained and evaluated. */
export function training(
  changes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Workflow {
  const types = {
    load: ['LoadDataset', { dataset_id: 'pad', split: 'all' }],
    images: ['ImagePreprocess', { resize: { width: 64, height: 64 } }],
    split: ['DataSplit', {}],
    backbone: ['SelectBackbone', { model_name: 'ResNet18' }],
    fusion: ['SelectFusion', { strategy: 'gated' }],
    build: ['BuildModel', {}],
    configure: ['ConfigureTraining', { epochs: 3 }],
    train: ['TrainModel', {}],
    evaluate: ['EvaluateModel', {}],
  } as const
  return workflowOf(
    Object.entries(types).map(([id, [type, config]]) => ({
      id,
      type,
      config: { ...config, ...changes[id] },
    })),
    [
      connect('load.dataset', 'images.images'),
      connect('images.processed_images', 'split.dataset'),
      connect('split.train_dataset', 'train.train_dataset'),
      connect('split.val_dataset', 'train.val_dataset'),
      connect('backbone.backbone_config', 'build.backbone_config'),
      connect('fusion.fusion_config', 'build.fusion_config'),
      connect('build.model', 'train.model'),
      connect('configure.training_config', 'train.training_config'),
      connect('train.trained_model', 'evaluate.model'),
      connect('split.test_dataset', 'evaluate.test_dataset'),
    ],
  )
}

/** connect('load.dataset', 'images.images') */
export function connect(from: string, to: string) {
  const [source = '', source_port = ''] = from.split('.')
  const [target = '', target_port = ''] = to.split('.')
  return { source, source_port, target, target_port }
}
