import { z } from 'zod'
import { BACKBONES } from '../../configuration/backbones.js'
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
          'Name of the network, or a friendly name such as ResNet50, EfficientNet, ViT, Swin; "none" reads the table alone.',
        training_key: 'model.vision_backbone',
        options: ['none', ...BACKBONES.map((backbone) => backbone.name)],
      }),
      pretrained: fromTraining('model', 'pretrained', {
        title: 'Pretrained weights',
        description:
          'Starts from learned weights (true, or a local safetensors file) instead of random ones.',
        reads: 'path',
      }),
      freeze_layers: fromTraining('model', 'freeze_layers', {
        title: 'Frozen stages',
        description: 'Stages of the network that are not trained, counted from the input, or "all".',
      }),
      output_dim: fromTraining('model', 'image_dim', {
        title: 'Width of the image embedding',
        description:
          'Numbers that describe an image after the backbone; left empty, as many as the fusion uses.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  SelectFusion: {
    group: 'Model',
    title: 'Select fusion',
    summary: 'Chooses how the representations of image and table are fused.',
    runs: 'service',
    resource: 'cpu',
    version: 1,
    inputs: [],
    outputs: [{ name: 'fusion_config', type: 'config', kind: 'fusion', title: 'Fusion' }],
    config: z.strictObject({
      strategy: field(trainingSchema('model', 'fusion_type').default('concatenate'), {
        title: 'Strategy',
        description: 'How the two representations are combined; "none" leaves the table out.',
        training_key: 'model.fusion_type',
      }),
      hidden_dim: fromTraining('model', 'hidden_dim', {
        title: 'Width',
        description:
          'Numbers in the fused representation; a multiple of the attention heads where attention is used.',
      }),
      num_heads: fromTraining('model', 'num_heads', {
        title: 'Attention heads',
        description: 'Heads of the attention and cross_attention strategies.',
      }),
      members: fromTraining('model', 'members', {
        title: 'Networks of the table',
        description:
          'Trains several networks of the table and predicts their mean; left empty, 5 for the table alone and for the table of the strategy late.',
      }),
      linear_share: fromTraining('model', 'linear_share', {
        title: 'Share of a linear model',
        description:
          'Of what each of several networks of the table predicts, the share of a linear model of the same row; left empty, 0.5, and 0 for one network.',
      }),
      image_weight: fromTraining('model', 'image_weight', {
        title: 'Weight of the image',
        description:
          'Strategy late: how much the image counts beside the table, whose weight is 1; "validation" chooses it by the validation cases.',
      }),
      dropout: fromTraining('model', 'dropout', {
        title: 'Dropout',
        description: 'Share of the activations that are left out at random during training.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  SelectAggregator: {
    group: 'Model',
    title: 'Select aggregator',
    summary: 'Chooses how several images of one case become one representation.',
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
        description: 'Trains the parameters of the method; switched off, they stay as they start.',
      }),
      missing_strategy: fromTraining('model', 'missing_view', {
        title: 'Missing views',
        description: 'Leaves a missing view out, or puts a learned token in its place.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  BuildModel: {
    group: 'Model',
    title: 'Build model',
    summary: 'Builds the network from its parts and counts its parameters.',
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
          description: 'Number of classes, or of several labels; left empty, the label says it.',
        }),
        task_type: field(trainingSchema('model', 'task').unwrap().unwrap().default('classification'), {
          title: 'Task',
          description:
            'Predicts a class (classification), a number (regression), several labels of yes or no (multilabel), or the time to an event (survival).',
          training_key: 'model.task',
        }),
        survival_intervals: fromTraining('model', 'survival_intervals', {
          title: 'Intervals of time',
          description: 'Task survival: how many intervals have a hazard of their own.',
        }),
      })
      .superRefine(({ num_classes, task_type }, context) => {
        if ((task_type !== 'regression' && task_type !== 'survival') || num_classes === null) return
        context.addIssue({
          code: 'custom',
          path: ['num_classes'],
          message: `${task_type === 'survival' ? 'times to an event have' : 'a regression has'} no classes`,
          params: { hint: 'Leave num_classes empty, or set task_type to "classification".' },
        })
      }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
} as const satisfies Record<string, NodeDefinition>
