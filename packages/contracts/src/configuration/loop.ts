import { z } from 'zod'
import { MONITORS } from '../metrics/epoch-metrics.js'
import { PHRASES } from '../phrases/index.js'
import { LOSSES, OPTIMIZERS, SCHEDULERS } from './choices.js'
import { ConformalConfig } from './conformal.js'
import { DEVICE } from './device.js'
import { OperatingRules } from './operating-points.js'

/** Settings of the training loop. */
export const LoopConfig = z
  .strictObject({
    epochs: z.int().min(1).max(100_000).meta({ title: 'Epochs' }),
    batch_size: z.int().min(1).max(65_536).meta({ title: 'Cases per batch' }),
    learning_rate: z.number().positive().max(10).default(1e-3).meta({ title: 'Learning rate' }),
    backbone_learning_rate: z
      .number()
      .positive()
      .max(10)
      .nullable()
      .default(null)
      .meta({ title: 'Learning rate of the backbone. Default: learning_rate' }),
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
    compile: z.enum(['auto', 'on', 'off']).default('auto').meta({
      title: 'Compile the backbone before the training (auto: on CUDA, for at least 10,000 batches)',
      before_it_existed: 'off',
    }),
    gradient_clip: z
      .number()
      .positive()
      .nullable()
      .default(1)
      .meta({ title: 'Maximum gradient norm; null: no clipping' }),
    gradient_accumulation: z.int().min(1).max(1024).default(1).meta({ title: 'Batches per optimizer step' }),
    early_stopping: z
      .strictObject({
        monitor: z.enum(MONITORS).default('auto').meta({
          title: 'Metric that selects the best epoch (auto: val_loss)',
        }),
        patience: z
          .int()
          .min(1)
          .max(100_000)
          .nullable()
          .default(null)
          .meta({ title: 'Epochs without improvement before the training stops; null: train all epochs' }),
        min_delta: z.number().min(0).default(0).meta({
          title:
            'Smallest improvement that resets the patience. The best epoch is selected by any improvement',
        }),
      })
      .prefault({})
      .meta({ title: 'Selection of the best epoch, and early stopping' }),
    operating_points: OperatingRules.default([
      { rule: 'youden' },
      { rule: 'sensitivity', at_least: 0.9 },
      { rule: 'specificity', at_least: 0.9 },
    ]).meta({
      title:
        'Additional decision thresholds for two classes, chosen on the validation split and reported in every evaluation: {rule: youden}, {rule: sensitivity, at_least}, {rule: specificity, at_least} or {rule: cost, false_negative, false_positive}',
      before_it_existed: [],
    }),
    conformal: ConformalConfig.nullable().default({ alpha: 0.1, method: 'lac' }).meta({
      title:
        'Conformal prediction: sets of classes or prediction intervals that contain the true value with probability 1 - alpha, calibrated on the validation split: {alpha, method: lac or aps}; null: none',
      before_it_existed: null,
    }),
    checkpoint_interval: z.int().min(1).max(100_000).nullable().default(null).meta({
      title: 'Keep a checkpoint of every n-th epoch in addition to best and last; null: only those two',
    }),
    seed: z.int().min(0).max(4_294_967_295).default(0).meta({ title: 'Seed' }),
    deterministic: z.boolean().default(false).meta({
      title: 'Use deterministic kernels on a GPU (slower; training on the CPU is always deterministic)',
    }),
    device: z
      .string()
      .regex(DEVICE, {
        error: PHRASES.device_expected,
      })
      .default('auto')
      .meta({
        title:
          'Device: auto, cpu, mps, cuda, cuda:N; several processes: cuda:0,1 or cpu:2; several nodes of a cluster: cuda:4x2 (4 on each of 2 nodes)',
      }),
    num_workers: z
      .int()
      .min(1)
      .max(256)
      .nullable()
      .default(null)
      .meta({ title: 'Processes that decode images. Default: one per core' }),
  })
  .meta({ id: 'LoopConfig', title: 'Training loop' })
