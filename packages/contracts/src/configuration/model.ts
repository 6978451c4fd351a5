import { z } from 'zod'
import { phrase } from '../phrases/index.js'
import { refusal } from '../validation/refusal.js'
import { suggest } from '../validation/suggest.js'
import { BACKBONE_NAMES, BACKBONES, findBackbone } from './backbones.js'
import { AGGREGATORS, FUSION_TYPES, TASKS } from './choices.js'

/** Components of the network. */
export const ModelConfig = z
  .strictObject({
    vision_backbone: z
      .string()
      .meta({
        title: 'Vision backbone (timm name or alias; "none": table only)',
        examples: ['resnet18'],
        options: ['none', ...BACKBONES.map((backbone) => backbone.name)],
      })
      .transform((name, context) => {
        if (name === 'none') return name
        const backbone = findBackbone(name)
        if (backbone) return backbone.name
        context.addIssue({
          code: 'custom',
          ...refusal(phrase('unknown_backbone', { name: name.slice(0, 80) }), undefined, {
            code: 'UNKNOWN_BACKBONE',
            ...suggest(name, BACKBONE_NAMES),
          }),
        })
        return z.NEVER
      })
      .pipe(z.enum(['none', ...BACKBONES.map((backbone) => backbone.name)]))
      .meta({ kept_by_fine_tuning: true }),
    fusion_type: z.enum(FUSION_TYPES).meta({
      kept_by_fine_tuning: true,
      title:
        'Fusion of image and table ("late": one network each, whose predictions are combined; "none": image only)',
    }),
    members: z.int().min(1).max(32).nullable().default(null).meta({
      kept_by_fine_tuning: true,
      before_it_existed: 1,
      title:
        'Number of table networks whose predictions are averaged. Default: 5 for table only and for the table of fusion "late", otherwise 1',
    }),
    linear_share: z.number().min(0).max(1).nullable().default(null).meta({
      kept_by_fine_tuning: true,
      before_it_existed: 0,
      title:
        'Weight of a linear model in the prediction of each of several table networks; the network has the remaining weight. Default: 0.5; for one network, 0',
    }),
    image_weight: z
      .union([z.number().min(0).max(10), z.literal('validation')])
      .default(0.5)
      .meta({
        title:
          'Fusion "late": weight of the image relative to the table (weight 1); "validation": chosen on the validation split',
      }),
    task: z
      .enum(TASKS)
      .nullable()
      .default(null)
      .meta({ kept_by_fine_tuning: true, title: 'Task. Default: inferred from the label' }),
    survival_intervals: z.int().min(2).max(100).default(10).meta({
      kept_by_fine_tuning: true,
      title:
        'Survival: number of time intervals for which the network predicts the hazard, with about the same number of events in each',
    }),
    pretrained: z
      .union([z.boolean(), z.string().min(1).max(4096)])
      .default(false)
      .meta({ title: 'Pretrained weights: false, true, or a local safetensors file', names_path: 'file' }),
    fine_tune_from: z.string().min(1).max(4096).nullable().default(null).meta({
      title:
        'Trained model to start from: a model id, a job id, or a checkpoint folder (with a /). Its weights, architecture, columns, classes and preprocessing are kept',
      names_path: 'checkpoint',
    }),
    freeze_layers: z
      .union([z.int().min(0).max(100), z.literal('all')])
      .default(0)
      .meta({ title: 'Number of frozen backbone stages, counted from the input, or "all"' }),
    image_dim: z
      .int()
      .min(1)
      .max(8192)
      .nullable()
      .default(null)
      .meta({ kept_by_fine_tuning: true, title: 'Width of the image embedding. Default: hidden_dim' }),
    tabular_encoder: z
      .enum(['mlp', 'ft_transformer'])
      .default('mlp')
      .meta({ kept_by_fine_tuning: true, title: 'Table encoder' }),
    missing_token: z.enum(['mean', 'random']).default('mean').meta({
      before_it_existed: 'random',
      default_since: 'members',
      title:
        'Initial value of missing table cells: mean of the training rows, or random numbers as in version 0.1.0',
    }),
    hidden_dim: z
      .int()
      .min(4)
      .max(8192)
      .default(128)
      .meta({ kept_by_fine_tuning: true, title: 'Width of the fused representation' }),
    num_heads: z
      .int()
      .min(1)
      .max(64)
      .default(4)
      .meta({ kept_by_fine_tuning: true, title: 'Number of attention heads' }),
    dropout: z.number().min(0).max(0.95).default(0.1).meta({ title: 'Dropout' }),
    aggregator: z
      .enum(AGGREGATORS)
      .default('mean')
      .meta({ kept_by_fine_tuning: true, title: 'Method that combines several views of a case' }),
    aggregator_learnable: z
      .boolean()
      .default(true)
      .meta({ title: 'Whether the parameters of the aggregator are trained' }),
    missing_view: z.enum(['mask', 'token']).default('mask').meta({
      kept_by_fine_tuning: true,
      title: 'Handling of missing views: exclude the view, or replace it by a learned token',
    }),
    modality_dropout: z
      .number()
      .min(0)
      .max(0.9)
      .default(0)
      .meta({ title: 'Probability that one modality of a training case is dropped' }),
  })
  .meta({ id: 'ModelConfig' })
