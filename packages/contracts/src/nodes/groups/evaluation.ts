import { z } from 'zod'
import { ReportTexts } from '../../configuration/report-texts.js'
import { ImportanceRequest } from '../../models.js'
import { phrase } from '../../phrases/index.js'
import { PredictRequest } from '../../predictions.js'
import { refusal } from '../../validation/refusal.js'
import { field, type NodeDefinition } from '../definition.js'
import { inferNothing } from '../inference.js'
import { NO_CASES } from '../lineage.js'
import { checkPrediction } from './prediction-checks.js'
import { missingFacets } from './training-checks.js'

/** Name in the node → name in an evaluation result. */
export const EVALUATION_METRICS = {
  accuracy: 'accuracy',
  precision: 'precision',
  recall: 'recall',
  f1: 'f1_score',
  auc: 'auc',
} as const
export const PLOT_TYPES = ['confusion_matrix', 'roc_curve', 'pr_curve', 'learning_curve'] as const
export const REPORT_SECTIONS = [
  'summary',
  'data',
  'model',
  'training',
  'performance',
  'figures',
  'limitations',
] as const

const set = <const T extends readonly [string, ...string[]]>(values: T) =>
  z
    .array(z.enum(values))
    .min(1)
    .refine((chosen) => new Set(chosen).size === chosen.length, refusal(phrase('listed_twice')))
    .default([...values] as never)

export const EVALUATION_NODES = {
  EvaluateModel: {
    group: 'Evaluation',
    title: 'Evaluate model',
    summary: 'Evaluates a trained model on data that it has not learned from.',
    runs: 'worker',
    resource: 'gpu',
    version: 10,
    software: 'model',
    inputs: [
      { name: 'model', type: 'model', kind: 'trained', title: 'Trained model' },
      { name: 'test_dataset', type: 'multimodal', title: 'Test data' },
    ],
    outputs: [
      { name: 'metrics', type: 'metrics', kind: 'evaluation', title: 'Metrics' },
      { name: 'predictions', type: 'tabular', kind: 'predictions', title: 'Predictions' },
      { name: 'confusion_matrix', type: 'tensor', kind: 'confusion_matrix', title: 'Confusion matrix' },
    ],
    config: z.strictObject({
      metrics: field(set(Object.keys(EVALUATION_METRICS) as [keyof typeof EVALUATION_METRICS]), {
        title: 'Metrics',
        description: 'The metrics to show first. The report contains all metrics with intervals.',
      }),
      save_predictions: field(z.boolean().default(true), {
        title: 'Save predictions',
        description: 'Saves the prediction of every case in a file of the run.',
      }),
      calibrated: field(z.boolean().default(false), {
        title: 'Calibrated probabilities',
        description:
          'Applies the temperature that the training fitted on the validation split to predictions, threshold and metrics.',
      }),
      importance: field(ImportanceRequest.shape.repeats.unwrap().nullable().default(null), {
        title: 'Input importance',
        description:
          'Permutation importance: number of permutations of each column and of the images between patients. Default: not measured.',
      }),
    }),
    lineage: [
      { relation: 'same_as', output: 'predictions', of: 'test_dataset' },
      { relation: 'applied_to', fitted: 'model', to: ['test_dataset'] },
      { relation: 'evaluates', model: 'model', on: 'test_dataset' },
    ],
    infer: ({ inputs: { model, test_dataset } }) => {
      const classes = test_dataset?.classes
      return {
        outputs: classes ? { confusion_matrix: { shape: [classes.length, classes.length], classes } } : {},
        issues: model && test_dataset ? missingFacets({ test_dataset }, model.settings) : [],
      }
    },
  },
  PredictCases: {
    group: 'Evaluation',
    title: 'Predict cases',
    summary: 'Applies a trained model to cases without labels.',
    runs: 'worker',
    resource: 'gpu',
    version: 1,
    software: 'model',
    inputs: [
      { name: 'model', type: 'model', kind: 'trained', title: 'Trained model', optional: true },
      { name: 'cases', type: 'multimodal', title: 'Cases' },
    ],
    outputs: [
      { name: 'predictions', type: 'tabular', kind: 'predictions', title: 'Predictions' },
      { name: 'basis', type: 'config', kind: 'prediction_basis', title: 'Facts about the model' },
    ],
    config: z.strictObject({
      model_id: field(z.string().min(1).max(200).nullable().default(null), {
        title: 'Registered model',
        description: 'Id or alias of a registered model, such as latest. Default: the connected model.',
        reads: 'model',
      }),
      id_column: field(PredictRequest.shape.id_column.unwrap().nullable().default(null), {
        title: 'Id column',
        description: 'Column with the id of each case. Default: the patient column.',
      }),
      calibrated: field(PredictRequest.shape.calibrated, {
        title: 'Calibrated probabilities',
        description: 'Applies the temperature of the training, if it fitted one.',
      }),
      operating_point: field(PredictRequest.shape.operating_point.unwrap().nullable().default(null), {
        title: 'Operating point',
        description:
          'Operating point of the training, such as youden, sensitivity:0.9, specificity:0.9 or cost:5:1. Default: its decision threshold.',
      }),
    }),
    lineage: [
      { relation: 'same_as', output: 'predictions', of: 'cases' },
      { relation: 'applied_to', fitted: 'model', to: ['cases'] },
      { relation: 'predicts', model: 'model', on: 'cases' },
    ],
    infer: checkPrediction,
  },
  VisualizeResults: {
    group: 'Evaluation',
    title: 'Visualize results',
    summary: 'Draws plots of an evaluation and of a training.',
    runs: 'service',
    resource: 'cpu',
    version: 3,
    inputs: [
      { name: 'metrics', type: 'metrics', kind: 'evaluation', title: 'Metrics' },
      { name: 'confusion_matrix', type: 'tensor', kind: 'confusion_matrix', title: 'Confusion matrix' },
      {
        name: 'training_history',
        type: 'metrics',
        kind: 'history',
        title: 'Training history',
        optional: true,
      },
    ],
    outputs: [{ name: 'plots', type: 'path', kind: 'plots', title: 'Plots' }],
    config: z.strictObject({
      plot_types: field(set(PLOT_TYPES), {
        title: 'Plots',
        description: 'The plots to draw. The learning curve requires a training history.',
      }),
      save_path: field(z.string().min(1).max(4096).nullable().default(null), {
        title: 'Folder',
        description:
          'Folder for the plots, relative to the output folder of the service. Default: among the artifacts of the workflow.',
        writes: 'path',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
  GenerateReport: {
    group: 'Evaluation',
    title: 'Generate report',
    summary: 'Writes a report on data, model, training and performance.',
    runs: 'service',
    resource: 'cpu',
    version: 4,
    implicit_inputs: [
      'warnings_above',
      'training_record',
      'evaluation_counts',
      'workflow_name',
      'dataset_texts',
    ],
    inputs: [
      { name: 'metrics', type: 'metrics', kind: 'evaluation', title: 'Metrics' },
      { name: 'plots', type: 'path', kind: 'plots', title: 'Plots' },
      { name: 'model_summary', type: 'config', kind: 'model_summary', title: 'Layers and parameters' },
    ],
    outputs: [{ name: 'report_path', type: 'path', kind: 'report', title: 'Report' }],
    config: z.strictObject({
      format: field(z.enum(['PDF', 'Word', 'HTML']).default('HTML'), {
        title: 'Format',
        description: 'The file format of the report.',
      }),
      template: field(z.enum(['standard', 'short']).default('standard'), {
        title: 'Template',
        description: 'The full report, or one page with the main results.',
      }),
      include_sections: field(set(REPORT_SECTIONS), {
        title: 'Sections',
        description: 'The sections of the report, in the order of the template.',
      }),
      with_images: field(z.boolean().default(false), {
        title: 'Failure cases with images',
        description:
          'Shows the failure cases as the model reads them, without identifiers. Off by default, because reports are shared.',
      }),
      report: field(ReportTexts.prefault({}), {
        title: 'Texts',
        description:
          'Information from the authors, with the keys of the section report of the training configuration. Default for each key: the text of the training configuration, or of the dataset.',
      }),
    }),
    lineage: NO_CASES,
    infer: inferNothing,
  },
} as const satisfies Record<string, NodeDefinition>
