import { z } from 'zod'
import { Baselines, LoopConfig } from '../../configuration/index.js'
import { field, type NodeDefinition } from '../definition.js'
import { inferNothing } from '../inference.js'
import { NO_CASES } from '../lineage.js'
import { fromTraining, renamed, trainingSchema } from '../training-fields.js'
import { checkContinuation, checkFineTuning } from './resume-checks.js'
import { checkTraining, learnedFrom, missingFacets } from './training-checks.js'

/** Modes in which ResumeTraining uses a checkpoint. */
export const RESUME_MODES = ['continue', 'fine_tune'] as const

export const TRAINING_NODES = {
  ConfigureTraining: {
    group: 'Training',
    title: 'Configure training',
    summary: 'Sets optimizer, learning rate, batch size and other training settings.',
    runs: 'service',
    resource: 'cpu',
    version: 1,
    inputs: [],
    outputs: [{ name: 'training_config', type: 'config', kind: 'training', title: 'Training configuration' }],
    config: z.strictObject({
      learning_rate: fromTraining('training', 'learning_rate', {
        title: 'Learning rate',
        description: 'Maximum learning rate of the schedule.',
      }),
      batch_size: field(trainingSchema('training', 'batch_size').default(16), {
        title: 'Batch size',
        description: 'Cases per training step.',
        training_key: 'training.batch_size',
      }),
      epochs: field(trainingSchema('training', 'epochs').default(20), {
        title: 'Epochs',
        description: 'Number of passes over the training cases.',
        training_key: 'training.epochs',
      }),
      optimizer: renamed(
        'training.optimizer',
        { Adam: 'adam', AdamW: 'adamw', SGD: 'sgd' },
        { title: 'Optimizer', description: 'Optimization algorithm.' },
      ),
      scheduler: fromTraining('training', 'scheduler', {
        title: 'Learning-rate schedule',
        description: 'Course of the learning rate during the training.',
      }),
      loss_function: fromTraining('training', 'loss_function', {
        title: 'Loss',
        description: 'The loss to minimize. auto uses cross_entropy for classes and mse for numbers.',
      }),
      mixed_precision: fromTraining('training', 'mixed_precision', {
        title: 'Mixed precision',
        description: 'Computes in 16 bits where that is safe. auto uses it on a CUDA device with bf16.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  TrainModel: {
    group: 'Training',
    title: 'Train model',
    summary: 'Trains the model as a training job and keeps the best checkpoint.',
    runs: 'job',
    resource: 'gpu',
    version: 6,
    software: 'model',
    inputs: [
      {
        name: 'model',
        type: 'model',
        kind: 'untrained',
        title: 'Model',
        advice: 'resume_instead',
      },
      {
        name: 'train_dataset',
        type: 'training_data',
        title: 'Training data',
        passes_kinds: ['training'],
        routes: { config: 'training_config' },
      },
      { name: 'val_dataset', type: 'multimodal', title: 'Validation data', optional: true },
      { name: 'training_config', type: 'config', kind: 'training', title: 'Training configuration' },
    ],
    outputs: [
      { name: 'trained_model', type: 'model', kind: 'trained', title: 'Trained model' },
      { name: 'training_history', type: 'metrics', kind: 'history', title: 'Metrics per epoch' },
      { name: 'best_checkpoint', type: 'path', kind: 'checkpoint', title: 'Best checkpoint' },
    ],
    config: z.strictObject({
      early_stopping: fromTraining('training', 'early_stopping', {
        title: 'Early stopping',
        description:
          'The metric that selects the best epoch, and the number of epochs without improvement before the training stops.',
      }),
      baselines: field(Baselines, {
        title: 'Baselines',
        description:
          'Simple models that are fitted on the same cases and compared with this model. Default: for a model that reads a table, logistic regression (for survival, Cox regression) and a random forest.',
        training_key: 'baselines',
      }),
      checkpoint_interval: fromTraining('training', 'checkpoint_interval', {
        title: 'Checkpoint interval',
        description: 'Keeps a checkpoint of every n-th epoch in addition to the best and the last.',
      }),
      log_interval: field(z.int().min(1).max(100_000).default(1), {
        title: 'Log interval',
        description: 'Reports progress after every n-th batch, at most ten times a second.',
        affects_result: false,
      }),
      allow_leakage: fromTraining('data', 'allow_leakage', {
        title: 'Allow leakage',
        description: 'Allows a patient, an image or a case to be in two splits. The report states it.',
      }),
    }),
    lineage: [
      {
        relation: 'fits',
        output: 'trained_model',
        on: ['model', 'train_dataset', 'val_dataset'],
        leak_allowed_by: 'allow_leakage',
      },
      {
        relation: 'fits',
        output: 'best_checkpoint',
        on: ['model', 'train_dataset', 'val_dataset'],
        leak_allowed_by: 'allow_leakage',
      },
      { relation: 'applied_to', fitted: 'train_dataset', to: ['val_dataset'] },
    ],
    infer: (input) => {
      const learned = learnedFrom(input.inputs.train_dataset)
      return {
        issues: checkTraining(input),
        outputs: { trained_model: learned, best_checkpoint: learned },
      }
    },
  },
  ResumeTraining: {
    group: 'Training',
    title: 'Resume training',
    summary: 'Continues or fine-tunes a trained model from the connected checkpoint, in a new training job.',
    runs: 'job',
    resource: 'gpu',
    version: 6,
    software: 'model',
    inputs: [
      { name: 'checkpoint_path', type: 'path', kind: 'checkpoint', title: 'Checkpoint' },
      { name: 'train_dataset', type: 'multimodal', title: 'Training data' },
      { name: 'val_dataset', type: 'multimodal', title: 'Validation data' },
    ],
    outputs: [
      { name: 'trained_model', type: 'model', kind: 'trained', title: 'Trained model' },
      { name: 'training_history', type: 'metrics', kind: 'history', title: 'Metrics per epoch' },
    ],
    config: z.strictObject({
      mode: field(z.enum(RESUME_MODES).default('continue'), {
        title: 'Mode',
        description:
          'With continue, the same training continues from the epoch of the checkpoint, on the original data. With fine_tune, a new training starts from its weights, on the connected data.',
      }),
      epochs: field(LoopConfig.shape.epochs.nullable().default(null), {
        title: 'Epochs',
        description: 'Number of epochs to train. Default: the number of epochs of the original training.',
      }),
      learning_rate: field(LoopConfig.shape.learning_rate.unwrap().nullable().default(null), {
        title: 'Learning rate',
        description: 'Learning rate for fine_tune. Default: that of the original training.',
      }),
      allow_leakage: fromTraining('data', 'allow_leakage', {
        title: 'Allow leakage',
        description:
          'Allows a patient, an image or a case to be in two splits, and validation cases that the trained model has learned from. The report states it.',
      }),
    }),
    lineage: [
      {
        relation: 'fits',
        output: 'trained_model',
        on: ['checkpoint_path', 'train_dataset', 'val_dataset'],
        leak_allowed_by: 'allow_leakage',
      },
      { relation: 'applied_to', fitted: 'checkpoint_path', to: ['train_dataset', 'val_dataset'] },
      {
        relation: 'continues',
        fitted: 'checkpoint_path',
        on: ['train_dataset', 'val_dataset'],
        when: { field: 'mode', is: 'continue', otherwise: 'fine_tune' },
      },
    ],
    infer: ({ config, inputs }) => ({
      issues: [
        ...missingFacets(inputs, inputs.checkpoint_path?.settings),
        ...(config.mode === 'fine_tune' ? checkFineTuning(inputs) : checkContinuation(config)),
      ],
      outputs: { trained_model: learnedFrom(inputs.checkpoint_path) },
    }),
  },
} as const satisfies Record<string, NodeDefinition>
