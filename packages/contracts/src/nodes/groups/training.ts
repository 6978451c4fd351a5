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
    summary: 'Sets how the model learns.',
    runs: 'service',
    resource: 'cpu',
    version: 1,
    inputs: [],
    outputs: [{ name: 'training_config', type: 'config', kind: 'training', title: 'Training configuration' }],
    config: z.strictObject({
      learning_rate: fromTraining('training', 'learning_rate', {
        title: 'Learning rate',
        description: 'Size of a step at the top of the schedule.',
      }),
      batch_size: field(trainingSchema('training', 'batch_size').default(16), {
        title: 'Batch size',
        description: 'Cases that are learned from in one step.',
        training_key: 'training.batch_size',
      }),
      epochs: field(trainingSchema('training', 'epochs').default(20), {
        title: 'Epochs',
        description: 'How often every training case is seen.',
        training_key: 'training.epochs',
      }),
      optimizer: renamed(
        'training.optimizer',
        { Adam: 'adam', AdamW: 'adamw', SGD: 'sgd' },
        { title: 'Optimizer', description: 'How gradients become steps.' },
      ),
      scheduler: fromTraining('training', 'scheduler', {
        title: 'Learning-rate schedule',
        description: 'How the learning rate changes during the training.',
      }),
      loss_function: fromTraining('training', 'loss_function', {
        title: 'Loss',
        description: 'What is made small; auto takes cross_entropy for classes and mse for numbers.',
      }),
      mixed_precision: fromTraining('training', 'mixed_precision', {
        title: 'Mixed precision',
        description: 'Computes in 16 bits where that is safe; auto does so on a CUDA device that has bf16.',
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
        advice:
          'A trained model is continued or fine-tuned by ResumeTraining, from the best_checkpoint of its training.',
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
      { name: 'training_history', type: 'metrics', kind: 'history', title: 'Metrics of every epoch' },
      { name: 'best_checkpoint', type: 'path', kind: 'checkpoint', title: 'Best checkpoint' },
    ],
    config: z.strictObject({
      early_stopping: fromTraining('training', 'early_stopping', {
        title: 'Early stopping',
        description:
          'Which metric picks the best epoch, and after how many epochs without improvement the training ends.',
      }),
      baselines: field(Baselines, {
        title: 'Baselines',
        description:
          'Simple models that are fitted on the same cases and shown beside this one; left empty, logistic regression (of survival Cox regression) and a random forest where the model reads a table.',
        training_key: 'baselines',
      }),
      checkpoint_interval: fromTraining('training', 'checkpoint_interval', {
        title: 'Checkpoint interval',
        description: 'Keeps a checkpoint of every n-th epoch beside the best and the last.',
      }),
      log_interval: field(z.int().min(1).max(100_000).default(1), {
        title: 'Log interval',
        description: 'Reports progress after every n-th batch, at most ten times a second.',
        affects_result: false,
      }),
      allow_leakage: fromTraining('data', 'allow_leakage', {
        title: 'Allow leakage',
        description:
          'Trains and evaluates although a patient, an image or a case stands in two parts; the report states it.',
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
    summary:
      'Trains on from the checkpoint that arrives, as a new training job: the same training continued, or fine-tuning with other data.',
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
      { name: 'training_history', type: 'metrics', kind: 'history', title: 'Metrics of every epoch' },
    ],
    config: z.strictObject({
      mode: field(z.enum(RESUME_MODES).default('continue'), {
        title: 'Mode',
        description:
          'With continue, the same training goes on from the epoch of the checkpoint, with the data that it was trained on; with fine_tune, a new training starts from its weights, with the data that arrive here.',
      }),
      epochs: field(LoopConfig.shape.epochs.nullable().default(null), {
        title: 'Epochs',
        description:
          'How many epochs are trained here; left empty, as many as its training was configured for.',
      }),
      learning_rate: field(LoopConfig.shape.learning_rate.unwrap().nullable().default(null), {
        title: 'Learning rate',
        description: 'Of a fine-tuning; left empty, that of its training.',
      }),
      allow_leakage: fromTraining('data', 'allow_leakage', {
        title: 'Allow leakage',
        description:
          'Trains and evaluates although a patient, an image or a case stands in two parts, or validates although the trained model has learned from it; the report states it.',
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
