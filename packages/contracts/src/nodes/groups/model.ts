import { z } from 'zod'
import { BACKBONES } from '../../configuration/backbones.js'
import { phrase } from '../../phrases/index.js'
import { refusal } from '../../validation/refusal.js'
import { field, type NodeDefinition } from '../definition.js'
import { inferNothing } from '../inference.js'
import { NO_CASES } from '../lineage.js'
import { fromTraining, trainingSchema } from '../training-fields.js'

export const MODEL_NODES = {
  SelectBackbone: {
    group: 'Model',
    title: 'Select backbone',
    summary: 'Chooses the network that reads the images.',
    runs: 'service',
    resource: 'cpu',
    version: 2,
    inputs: [],
    outputs: [{ name: 'backbone_config', type: 'config', kind: 'backbone', title: 'Backbone' }],
    config: z.strictObject({
      model_name: field(trainingSchema('model', 'vision_backbone').prefault('resnet18'), {
        title: 'Backbone',
        description:
          'Name of the network, or a common name such as ResNet50, EfficientNet, ViT or Swin; "none" reads the table only.',
        training_key: 'model.vision_backbone',
        options: ['none', ...BACKBONES.map((backbone) => backbone.name)],
      }),
      pretrained: fromTraining('model', 'pretrained', {
        title: 'Pretrained weights',
        description:
          'Starts from pretrained weights (true, or a local safetensors file) instead of random weights.',
        reads: 'path',
      }),
      freeze_layers: fromTraining('model', 'freeze_layers', {
        title: 'Frozen stages',
        description:
          'Number of stages of the network that are not trained, counted from the input, or "all".',
      }),
      output_dim: fromTraining('model', 'image_dim', {
        title: 'Image embedding width',
        description: 'Dimension of the image embedding after the backbone. Default: the width of the fusion.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  SelectFusion: {
    group: 'Model',
    title: 'Select fusion',
    summary: 'Chooses how image and table representations are combined.',
    runs: 'service',
    resource: 'cpu',
    version: 1,
    inputs: [],
    outputs: [{ name: 'fusion_config', type: 'config', kind: 'fusion', title: 'Fusion' }],
    config: z.strictObject({
      strategy: field(trainingSchema('model', 'fusion_type').default('concatenate'), {
        title: 'Strategy',
        description: 'Method that combines the two representations; "none" excludes the table.',
        training_key: 'model.fusion_type',
      }),
      hidden_dim: fromTraining('model', 'hidden_dim', {
        title: 'Width',
        description:
          'Width of the fused representation; with attention, a multiple of the number of attention heads.',
      }),
      num_heads: fromTraining('model', 'num_heads', {
        title: 'Attention heads',
        description: 'Number of heads of the strategies attention and cross_attention.',
      }),
      members: fromTraining('model', 'members', {
        title: 'Table networks',
        description:
          'Number of table networks whose predictions are averaged. Default: 5 for table only and for the table of the strategy late, otherwise 1.',
      }),
      linear_share: fromTraining('model', 'linear_share', {
        title: 'Linear model weight',
        description:
          'Weight of a linear model in the prediction of each of several table networks. Default: 0.5; for one network, 0.',
      }),
      missing_token: fromTraining('model', 'missing_token', {
        title: 'Initial value of missing table cells',
        description:
          'Initial value of a missing table cell: the mean of the training rows, or random numbers as in version 0.1.0.',
      }),
      image_weight: fromTraining('model', 'image_weight', {
        title: 'Image weight',
        description:
          'Strategy late: weight of the image relative to the table (weight 1); "validation" chooses it on the validation cases.',
      }),
      dropout: fromTraining('model', 'dropout', {
        title: 'Dropout',
        description: 'Share of the activations that are dropped at random during training.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  SelectAggregator: {
    group: 'Model',
    title: 'Select aggregator',
    summary: 'Chooses how several images of a case are combined into one representation.',
    runs: 'service',
    resource: 'cpu',
    version: 1,
    inputs: [],
    outputs: [{ name: 'aggregator_config', type: 'config', kind: 'aggregator', title: 'Aggregator' }],
    config: z.strictObject({
      method: fromTraining('model', 'aggregator', {
        title: 'Method',
        description:
          'Mean, maximum, attention over the views, attention between the views, or one learned weight per view.',
      }),
      learnable: fromTraining('model', 'aggregator_learnable', {
        title: 'Learnable',
        description: 'Trains the parameters of the method. If off, they keep their initial values.',
      }),
      missing_strategy: fromTraining('model', 'missing_view', {
        title: 'Missing views',
        description: 'Excludes a missing view, or replaces it by a learned token.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  BuildModel: {
    group: 'Model',
    title: 'Build model',
    summary: 'Builds the network from backbone, fusion and aggregator, and counts its parameters.',
    runs: 'worker',
    resource: 'cpu',
    version: 4,
    software: 'model',
    inputs: [
      { name: 'backbone_config', type: 'config', kind: 'backbone', title: 'Backbone' },
      { name: 'fusion_config', type: 'config', kind: 'fusion', title: 'Fusion' },
      { name: 'aggregator_config', type: 'config', kind: 'aggregator', title: 'Aggregator', optional: true },
    ],
    outputs: [
      { name: 'model', type: 'model', kind: 'untrained', title: 'Model' },
      { name: 'model_summary', type: 'config', kind: 'model_summary', title: 'Layers and parameters' },
    ],
    config: z
      .strictObject({
        num_classes: field(z.int().min(2).max(100_000).nullable().default(null), {
          title: 'Classes',
          description: 'Number of classes or labels. Default: inferred from the label.',
        }),
        task_type: field(trainingSchema('model', 'task').unwrap().unwrap().default('classification'), {
          title: 'Task',
          description:
            'The prediction: a class (classification), a number (regression), several labels with yes or no (multilabel), or the time to an event (survival).',
          training_key: 'model.task',
        }),
        survival_intervals: fromTraining('model', 'survival_intervals', {
          title: 'Time intervals',
          description: 'Task survival: number of time intervals with separate hazards.',
        }),
      })
      .superRefine(({ num_classes, task_type }, context) => {
        if ((task_type !== 'regression' && task_type !== 'survival') || num_classes === null) return
        context.addIssue({
          code: 'custom',
          path: ['num_classes'],
          ...refusal(phrase('classes_without_effect', { task: task_type }), phrase('leave_classes_empty')),
        })
      }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
} as const satisfies Record<string, NodeDefinition>
