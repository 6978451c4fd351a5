import { z } from 'zod'
import { nearest } from '../validation/nearest.js'
import { BACKBONE_NAMES, BACKBONES, findBackbone } from './backbones.js'
import { contradictions } from './rules.js'

/**
 * The training configuration: every key, its type, its range and its default, declared here and nowhere else.
 * `null` as a default means "inferred from the data"; what was inferred is echoed in the job record.
 */

export const FUSION_TYPES = [
  'concatenate',
  'gated',
  'attention',
  'cross_attention',
  'bilinear',
  'none',
] as const
export const AGGREGATORS = ['mean', 'max', 'attention', 'cross_view', 'learned_weight'] as const
export const TASKS = ['classification', 'regression'] as const
export const MISSING_STRATEGIES = ['token', 'drop', 'mean', 'median', 'mode'] as const
export const SCALINGS = ['standard', 'minmax', 'robust', 'none'] as const
export const ENCODINGS = ['onehot', 'label', 'target'] as const
export const NORMALIZATIONS = ['imagenet', 'zscore', 'minmax'] as const
export const AUGMENTATIONS = ['none', 'light', 'medium', 'strong'] as const
export const AUGMENTATION_METHODS = [
  'horizontal_flip',
  'vertical_flip',
  'rotation',
  'crop',
  'brightness',
  'contrast',
  'gamma',
  'noise',
  'blur',
  'erasing',
] as const
export const SELECTION_METHODS = ['none', 'variance', 'univariate', 'mutual_information'] as const
export const OPTIMIZERS = ['adam', 'adamw', 'sgd'] as const
export const SCHEDULERS = ['none', 'cosine', 'step', 'plateau', 'onecycle'] as const
export const LOSSES = ['auto', 'cross_entropy', 'focal', 'mse', 'mae', 'huber'] as const
export const MONITORS = ['auto', 'val_loss', 'val_accuracy', 'val_auc', 'val_mae', 'val_r2'] as const

const path = (title: string) => z.string().min(1).max(4096).meta({ title })
const optionalPath = (title: string) => z.string().min(1).max(4096).nullable().default(null).meta({ title })
const columns = (title: string) =>
  z.array(z.string().min(1)).max(10_000).nullable().default(null).meta({ title })
const column = (title: string) => z.string().min(1).nullable().default(null).meta({ title })

/** Chosen methods of augmentation, each applied to an image with the same chance. */
export const AugmentationPlan = z
  .strictObject({
    methods: z
      .array(z.enum(AUGMENTATION_METHODS))
      .min(1)
      .refine((methods) => new Set(methods).size === methods.length, { error: 'each method once' })
      .default(['rotation', 'crop', 'brightness', 'contrast']),
    probability: z.number().min(0).max(1).default(0.5),
    intensity: z.number().min(0).max(1).default(0.3),
  })
  .meta({ id: 'AugmentationPlan' })

/** Which table columns the model reads, chosen on the training part alone. */
export const FeatureSelection = z
  .strictObject({
    method: z.enum(SELECTION_METHODS).default('none').meta({ title: 'Method' }),
    keep: z.int().min(1).max(10_000).nullable().default(null).meta({ title: 'Columns to keep' }),
  })
  .superRefine(({ method, keep }, context) => {
    const ranks = method === 'univariate' || method === 'mutual_information'
    if (ranks === (keep !== null)) return
    context.addIssue({
      code: 'custom',
      path: ['keep'],
      message: ranks
        ? `${method} needs the number of columns to keep`
        : `"${method}" keeps no fixed number of columns`,
      params: { hint: ranks ? 'Set keep, for example 20.' : 'Set keep to null, or choose univariate.' },
    })
  })
  .prefault({})

export const DataConfig = z
  .strictObject({
    train_csv: path('Training table (CSV)'),
    val_csv: optionalPath('Validation table (CSV); absent: split from the training table, by patient'),
    test_csv: optionalPath('Test table (CSV), used by evaluation only'),
    val_fraction: z
      .number()
      .min(0.05)
      .max(0.5)
      .default(0.2)
      .meta({ title: 'Share of the patients that validate when there is no val_csv' }),
    image_root: optionalPath('Folder that image paths are relative to; absent: the folder of the CSV'),
    image_columns: columns('Image columns, one per view; absent: columns whose values are image files'),
    label_column: column('Label column; absent: inferred by name'),
    patient_column: column('Patient column; absent: inferred by name'),
    split_column: column('Column that says train, val or test; absent: a column named "split"'),
    numeric_columns: columns('Numeric columns; absent: inferred'),
    categorical_columns: columns('Categorical columns; absent: inferred'),
    ignore_columns: z
      .array(z.string().min(1))
      .max(10_000)
      .default([])
      .meta({ title: 'Columns that the model must not see' }),
    subgroup_columns: z
      .array(z.string().min(1))
      .max(20)
      .default([])
      .meta({ title: 'Columns whose groups the report compares, beside sex, age band and site' }),
    image_size: z
      .tuple([z.int().min(16).max(2048), z.int().min(16).max(2048)])
      .default([224, 224])
      .meta({ title: 'Image size [width, height] in pixels' }),
    normalize: z.enum(NORMALIZATIONS).default('imagenet').meta({ title: 'Intensity normalisation' }),
    window: z
      .strictObject({ center: z.number(), width: z.number().positive() })
      .nullable()
      .default(null)
      .meta({ title: 'Intensity window in stored units, for images of one channel (CT: Hounsfield units)' }),
    augmentation: z
      .union([z.enum(AUGMENTATIONS), AugmentationPlan])
      .default('light')
      .meta({
        title:
          'Augmentation of training images: none, light, medium, strong, or {methods, probability, intensity}',
      }),
    horizontal_flip: z
      .boolean()
      .default(false)
      .meta({ title: 'Mirror training images left to right (off: sides matter in medicine)' }),
    missing_strategy: z
      .enum(MISSING_STRATEGIES)
      .default('token')
      .meta({ title: 'Missing table values: a learned token, drop the row, or a fitted statistic' }),
    scaling: z.enum(SCALINGS).default('standard').meta({ title: 'Scaling of numeric columns' }),
    categorical_encoding: z
      .enum(ENCODINGS)
      .default('onehot')
      .meta({ title: 'Encoding of categorical columns' }),
    feature_selection: FeatureSelection.meta({
      title: 'Table columns that the model reads: all, those that vary, or those that tell most of the label',
    }),
    unreadable_images: z
      .enum(['refuse', 'missing'])
      .default('refuse')
      .meta({ title: 'Missing or unreadable image files: refuse to train, or treat as missing views' }),
    allow_leakage: z
      .boolean()
      .default(false)
      .meta({ title: 'Train although a patient or an image stands in two splits; written into the report' }),
  })
  .meta({ id: 'DataConfig' })

export const ModelConfig = z
  .strictObject({
    vision_backbone: z
      .string()
      .meta({ title: 'Vision backbone (timm name or alias; "none": table only)', examples: ['resnet18'] })
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
      .pipe(z.enum(['none', ...BACKBONES.map((backbone) => backbone.name)])),
    fusion_type: z.enum(FUSION_TYPES).meta({ title: 'How image and table meet ("none": image only)' }),
    task: z.enum(TASKS).nullable().default(null).meta({ title: 'Task; absent: inferred from the label' }),
    pretrained: z
      .union([z.boolean(), z.string().min(1).max(4096)])
      .default(false)
      .meta({ title: 'Pretrained weights: false, true, or a local safetensors file' }),
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
      .meta({ title: 'Width of the image embedding; absent: hidden_dim' }),
    tabular_encoder: z.enum(['mlp', 'ft_transformer']).default('mlp').meta({ title: 'Encoder of the table' }),
    hidden_dim: z.int().min(4).max(8192).default(128).meta({ title: 'Width of the fused representation' }),
    num_heads: z.int().min(1).max(64).default(4).meta({ title: 'Attention heads' }),
    dropout: z.number().min(0).max(0.95).default(0.1).meta({ title: 'Dropout' }),
    aggregator: z.enum(AGGREGATORS).default('mean').meta({ title: 'How several views become one' }),
    aggregator_learnable: z
      .boolean()
      .default(true)
      .meta({ title: 'Whether the parameters of the aggregator learn, or stay as they start' }),
    missing_view: z
      .enum(['mask', 'token'])
      .default('mask')
      .meta({ title: 'A missing view is left out, or stands as a learned token' }),
    modality_dropout: z
      .number()
      .min(0)
      .max(0.9)
      .default(0)
      .meta({ title: 'Chance that a training case loses one modality' }),
  })
  .meta({ id: 'ModelConfig' })

export const LoopConfig = z
  .strictObject({
    epochs: z.int().min(1).max(100_000).meta({ title: 'Epochs' }),
    batch_size: z.int().min(1).max(65_536).meta({ title: 'Cases in a batch' }),
    learning_rate: z.number().positive().max(10).default(1e-3).meta({ title: 'Learning rate' }),
    backbone_learning_rate: z
      .number()
      .positive()
      .max(10)
      .nullable()
      .default(null)
      .meta({ title: 'Learning rate of the backbone; absent: learning_rate' }),
    weight_decay: z.number().min(0).max(10).default(0.01).meta({ title: 'Weight decay' }),
    optimizer: z.enum(OPTIMIZERS).default('adamw').meta({ title: 'Optimizer' }),
    scheduler: z.enum(SCHEDULERS).default('cosine').meta({ title: 'Learning-rate schedule' }),
    warmup_epochs: z.number().min(0).max(1000).default(0).meta({ title: 'Epochs of linear warm-up' }),
    loss_function: z
      .enum(LOSSES)
      .default('auto')
      .meta({ title: 'Loss (auto: cross_entropy for classes, mse for numbers)' }),
    class_weights: z
      .union([z.enum(['none', 'balanced']), z.record(z.string(), z.number().positive())])
      .default('none')
      .meta({ title: 'Class weights: none, balanced, or one number per class' }),
    label_smoothing: z.number().min(0).max(0.9).default(0).meta({ title: 'Label smoothing' }),
    mixed_precision: z
      .enum(['auto', 'off', 'bf16', 'fp16'])
      .default('auto')
      .meta({ title: 'Mixed precision (auto: bf16 where CUDA has it, else off)' }),
    gradient_clip: z
      .number()
      .positive()
      .nullable()
      .default(1)
      .meta({ title: 'Largest gradient norm; null: no clipping' }),
    gradient_accumulation: z.int().min(1).max(1024).default(1).meta({ title: 'Batches per optimizer step' }),
    early_stopping: z
      .strictObject({
        monitor: z.enum(MONITORS).default('auto').meta({
          title: 'Metric that picks the best epoch (auto: val_loss)',
        }),
        patience: z
          .int()
          .min(1)
          .max(100_000)
          .nullable()
          .default(null)
          .meta({ title: 'Epochs without improvement before the training ends; null: train all epochs' }),
        min_delta: z
          .number()
          .min(0)
          .default(0)
          .meta({ title: 'Smallest change that counts as an improvement' }),
      })
      .prefault({})
      .meta({ title: 'Choice of the best epoch, and early stopping' }),
    checkpoint_interval: z
      .int()
      .min(1)
      .max(100_000)
      .nullable()
      .default(null)
      .meta({ title: 'Keep a checkpoint of every n-th epoch beside best and last; null: only those two' }),
    seed: z.int().min(0).max(4_294_967_295).default(0).meta({ title: 'Seed' }),
    deterministic: z
      .boolean()
      .default(false)
      .meta({ title: 'Deterministic kernels on a GPU too (slower; the CPU always is)' }),
    device: z
      .string()
      .regex(/^(auto|cpu(:[1-9]\d?)?|mps|cuda(:\d{1,2}(,\d{1,2})*)?)$/, {
        error: 'expected auto, cpu, cpu:N (N processes), mps, cuda, cuda:N or cuda:N,M',
      })
      .default('auto')
      .meta({ title: 'Device: auto, cpu, mps, cuda, cuda:N; several processes: cuda:0,1 or cpu:2' }),
    num_workers: z
      .int()
      .min(1)
      .max(256)
      .nullable()
      .default(null)
      .meta({ title: 'Processes that decode images; absent: one per core' }),
  })
  .meta({ id: 'LoopConfig', title: 'Training loop' })

const UNSAID = {
  num_heads: ModelConfig.shape.num_heads.parse(undefined),
  val_fraction: DataConfig.shape.val_fraction.parse(undefined),
}

export const TrainingConfig = z
  .strictObject({ data: DataConfig, model: ModelConfig, training: LoopConfig })
  .superRefine((config, context) => {
    for (const { path, code, message, hint } of contradictions(config, UNSAID))
      context.addIssue({ code: 'custom', path: [...path], message, params: { code, hint } })
  })
  .meta({ id: 'TrainingConfig', title: 'Training configuration' })

/** What a caller writes: the six fields of the specification are enough. */
export type TrainingConfigInput = z.input<typeof TrainingConfig>
/** What the trainer receives: complete, aliases resolved. */
export type TrainingConfig = z.output<typeof TrainingConfig>
