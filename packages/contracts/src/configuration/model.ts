import { z } from 'zod'
import { nearest } from '../validation/nearest.js'
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
        const guess = nearest(name, BACKBONE_NAMES)
        context.addIssue({
          code: 'custom',
          message: `unknown backbone "${name.slice(0, 80)}"`,
          params: { code: 'UNKNOWN_BACKBONE', hint: guess ? `Did you mean "${guess}"?` : undefined },
        })
        return z.NEVER
      })
      .pipe(z.enum(['none', ...BACKBONES.map((backbone) => backbone.name)]))
      .meta({ kept_by_fine_tuning: true }),
    fusion_type: z.enum(FUSION_TYPES).meta({
      kept_by_fine_tuning: true,
      title:
        'How image and table are fused ("late": a network each, whose predictions are combined; "none": image only)',
    }),
    members: z.int().min(1).max(32).nullable().default(null).meta({
      kept_by_fine_tuning: true,
      before_it_existed: 1,
      title:
        'Networks of the table whose mean predicts; absent: 5 for the table alone and for the table of fusion "late", 1 otherwise',
    }),
    linear_share: z.number().min(0).max(1).nullable().default(null).meta({
      kept_by_fine_tuning: true,
      before_it_existed: 0,
      title:
        'Share of a linear model in what each of several networks of the table predicts, the network has the rest; absent: 0.5, and 0 for one network',
    }),
    image_weight: z
      .union([z.number().min(0).max(10), z.literal('validation')])
      .default(0.5)
      .meta({
        title:
          'Fusion "late": weight of the image beside the table, whose weight is 1; "validation": chosen there',
      }),
    task: z
      .enum(TASKS)
      .nullable()
      .default(null)
      .meta({ kept_by_fine_tuning: true, title: 'Task; absent: inferred from the label' }),
    survival_intervals: z.int().min(2).max(100).default(10).meta({
      kept_by_fine_tuning: true,
      title:
        'Survival: intervals of time, with about as many events in each, of which the network predicts the hazard',
    }),
    pretrained: z
      .union([z.boolean(), z.string().min(1).max(4096)])
      .default(false)
      .meta({ title: 'Pretrained weights: false, true, or a local safetensors file', names_path: 'file' }),
    fine_tune_from: z.string().min(1).max(4096).nullable().default(null).meta({
      title:
        'Trained model to start from: a model id, a job id, or the folder of a checkpoint (with a /). Its weights, architecture, columns, classes and preprocessing are kept',
      names_path: 'checkpoint',
    }),
    freeze_layers: z
      .union([z.int().min(0).max(100), z.literal('all')])
      .default(0)
      .meta({ title: 'Backbone stages kept frozen, counted from the input, or "all"' }),
    image_dim: z
      .int()
      .min(1)
      .max(8192)
      .nullable()
      .default(null)
      .meta({ kept_by_fine_tuning: true, title: 'Width of the image embedding; absent: hidden_dim' }),
    tabular_encoder: z
      .enum(['mlp', 'ft_transformer'])
      .default('mlp')
      .meta({ kept_by_fine_tuning: true, title: 'Encoder of the table' }),
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
      .meta({ kept_by_fine_tuning: true, title: 'Attention heads' }),
    dropout: z.number().min(0).max(0.95).default(0.1).meta({ title: 'Dropout' }),
    aggregator: z
      .enum(AGGREGATORS)
      .default('mean')
      .meta({ kept_by_fine_tuning: true, title: 'How several views of a case are combined' }),
    aggregator_learnable: z
      .boolean()
      .default(true)
      .meta({ title: 'Whether the parameters of the aggregator are trained' }),
    missing_view: z
      .enum(['mask', 'token'])
      .default('mask')
      .meta({ kept_by_fine_tuning: true, title: 'A missing view is left out, or stands as a learned token' }),
    modality_dropout: z
      .number()
      .min(0)
      .max(0.9)
      .default(0)
      .meta({ title: 'Probability that a training case loses one modality' }),
  })
  .meta({ id: 'ModelConfig' })
