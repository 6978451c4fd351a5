import { z } from 'zod'
import { CASE_TASKS } from '../cases.js'
import { Warning } from '../codes/index.js'
import { Folds, Recipe, ROW_ANSWERS, Slices, TASKS, TrainerConfig } from '../configuration/index.js'
import { CHOSEN_ROLES, Inspection, RecipeProposal } from '../datasets.js'
import { ExportedFile } from '../export.js'
import { QUANTIZATIONS, REQUEST_FORMATS } from '../export-formats.js'
import { FOLLOW_UP_TASKS } from '../follow-ups.js'
import { EnsembleFit, EnsembleMember } from '../jobs/ensemble.js'
import { ImportanceRequest } from '../models.js'
import { CustomNodeProblem } from '../nodes/catalog.js'
import { NodeContent } from '../nodes/values.js'
import { phrasesOf } from '../phrases/phrase.js'
import { PREDICTION_TASKS } from '../predictions.js'
import { StudyFolds } from '../studies/folds.js'
import { StudyCell, StudyResults } from '../studies/results.js'
import { SAMPLERS, SearchSettings, SearchSpace } from '../studies/search/search-config.js'
import { StudyTrial, TrialSteps } from '../studies/search/trial.js'
import { PreparedCache, PreparedCacheCleared } from '../system.js'
import { TablePreview } from '../workflow/preview.js'
import { ComparisonResult } from './comparison-result.js'
import { EvaluationResult } from './evaluation-result.js'
import { Places } from './spec.js'
import { TrainingOutlook } from './training-outlook.js'

const direction = z.enum(['lower', 'higher']).meta({ description: 'Direction of improvement' })

/** Input and output of a node computation. */
const NodeParams = z.strictObject({
  type: z.string().meta({ description: 'Node type of the catalog' }),
  config: z.record(z.string(), z.unknown()).meta({ description: 'Complete' }),
  inputs: z
    .record(z.string(), z.array(NodeContent))
    .meta({ description: 'port → incoming values; several if the port joins parts' }),
  store: z.string().meta({ description: 'Absolute path of the artifact store (see Blob)' }),
  data_dir: z.string().meta({
    description: 'Absolute path of the folder to which checkpoint paths of trained models are relative',
  }),
  cache_dir: z.string(),
  roots: z.array(z.string()),
  device: z.string(),
})
const NodeResults = z.object({
  outputs: z.record(
    z.string(),
    z.object({ content: NodeContent, summary: z.string(), summary_phrases: phrasesOf('summary') }),
  ),
  warnings: z.array(Warning),
})

/** Short tasks: one JSON line in, any number of progress lines and one result or error line out. */
export const WORKER_TASKS = {
  probe: {
    params: z.strictObject({}),
    result: z.object({
      python_version: z.string(),
      pytorch_version: z.string(),
      packages: z.record(z.string(), z.string()),
      cuda: z.array(
        z.object({ id: z.int(), name: z.string(), memory_total_bytes: z.int(), memory_used_bytes: z.int() }),
      ),
      mps: z.boolean(),
    }),
  },
  software: {
    params: z.strictObject({}),
    result: z
      .record(z.string(), z.string())
      .meta({ description: 'Package → version, for the trainer and its libraries' }),
  },
  inspect: {
    params: z.strictObject({
      path: z.string(),
      image_root: z.string().nullable(),
      label_column: z.string().nullable(),
      label_columns: z.array(z.string()).nullable(),
      time_column: z.string().nullable(),
      event_column: z.string().nullable(),
      patient_column: z.string().nullable(),
      positive_class: z.string().nullable(),
      slices: Slices.nullable().meta({ description: 'Null: the default of data.slices' }),
      roles: z.record(z.string(), z.enum(CHOSEN_ROLES)),
      ignore_columns: z.array(z.string()),
      recipe: Recipe.nullable(),
      roots: z.array(z.string()),
    }),
    result: Inspection,
  },
  propose_recipe: {
    params: z.strictObject({
      path: z.string(),
      label_column: z.string().nullable(),
      patient_column: z.string().nullable(),
      no_patient_column: z.boolean(),
      rows_rule: z.enum(ROW_ANSWERS).nullable(),
      decisions: z.record(z.string(), z.string()),
      roots: z.array(z.string()),
    }),
    result: RecipeProposal,
  },
  named_images: {
    params: z.strictObject({
      tables: z.array(
        z.strictObject({
          path: z.string(),
          image_root: z.string().meta({ description: 'Absolute; image cells are relative to it' }),
          format: z.string().nullable().meta({ description: 'Null: the suffix of the name determines it' }),
          encoding: z
            .string()
            .nullable()
            .meta({ description: 'As LoadTabular names it; null: the table is read as in a training' }),
        }),
      ),
      image_columns: z
        .array(z.string())
        .meta({ description: 'Image columns, in addition to those whose values look like image files' }),
    }),
    result: z.object({
      tables: z
        .array(
          z.array(
            z.object({
              folder: z.string().meta({ description: 'Absolute, or relative to image_root' }),
              names: z.array(z.string()).meta({ description: 'Files, or folders of series' }),
            }),
          ),
        )
        .meta({ description: 'What the image cells of each table name, whether it exists or not' }),
      undecided: z.array(z.string()).meta({
        description: 'Absolute; folders in which a new file may make a further column an image column',
      }),
    }),
  },
  check_training: {
    params: z.strictObject({
      config: TrainerConfig.meta({ description: 'Complete configuration with absolute paths' }),
      roots: z.array(z.string()),
    }),
    result: TrainingOutlook,
  },
  evaluate: {
    params: z.strictObject({
      checkpoint: z.string(),
      csv: z.string(),
      image_root: z.string().nullable(),
      split: z.string(),
      out_dir: z
        .string()
        .meta({ description: 'Absolute path of the folder for evaluation.json and predictions.csv' }),
      calibrated: z.boolean().meta({ description: 'Whether to apply the temperature of the checkpoint' }),
      failure_images: z
        .boolean()
        .meta({ description: 'Whether to write failure-images.json to the folder (see FailureImages)' }),
      saliency: z.boolean().meta({ description: 'Whether to add saliency maps to the failure images' }),
      importance: ImportanceRequest.nullable().meta({ description: 'Null: not requested' }),
      data_dir: z
        .string()
        .meta({ description: 'Absolute path; a checkpoint must be in this folder or in the roots' }),
      cache_dir: z.string(),
      roots: z.array(z.string()),
      device: z.string(),
    }),
    result: EvaluationResult,
  },
  study_folds: {
    params: z.strictObject({
      config: TrainerConfig,
      folds: Folds.nullable().meta({ description: 'Null: the tables are read but not divided' }),
      cache_dir: z.string(),
      roots: z.array(z.string()),
    }),
    result: StudyFolds,
  },
  compare: {
    params: z.strictObject({
      models: z
        .array(
          z.strictObject({ name: z.string(), checkpoint: z.string(), image_root: z.string().nullable() }),
        )
        .min(2),
      csv: z.string(),
      split: z.string(),
      out_dir: z
        .string()
        .meta({ description: 'Absolute path of the folder for comparison.json and predictions.csv' }),
      data_dir: z
        .string()
        .meta({ description: 'Absolute path; checkpoints must be in this folder or in the roots' }),
      cache_dir: z.string(),
      roots: z.array(z.string()),
      device: z.string(),
    }),
    result: ComparisonResult,
  },
  ensemble: {
    params: z.strictObject({
      members: z.array(z.strictObject({ name: z.string(), checkpoint: z.string() })).min(2),
      job_id: z.string(),
      job_name: z.string(),
      run_dir: z.string().meta({
        description:
          'Absolute path of the folder for checkpoints/best and the records of the training cases of the members',
      }),
      data_dir: z
        .string()
        .meta({ description: 'Absolute path; checkpoints must be in this folder or in the roots' }),
      roots: z.array(z.string()),
    }),
    result: z.object({
      task: z.enum(TASKS),
      classes: z.array(z.string()).nullable(),
      parameters: z.int(),
      data_digests: z.record(z.string(), z.string()),
      cases_known: z.boolean().meta({ description: 'Whether every member recorded its training cases' }),
      fitted_on_validation: EnsembleFit,
      members: z
        .array(
          EnsembleMember.pick({
            job_id: true,
            job_name: true,
            epoch: true,
            checkpoint_digest: true,
            seed: true,
            fold: true,
            data_digests: true,
          }),
        )
        .meta({ description: 'Members in the order of the params, read from the checkpoints' }),
    }),
  },
  export: {
    params: z.strictObject({
      checkpoint: z.string(),
      format: z.enum(REQUEST_FORMATS),
      quantization: z.enum(QUANTIZATIONS),
      card: z
        .string()
        .nullable()
        .meta({ description: 'Model card in Markdown, for a package; otherwise null' }),
      out_dir: z.string().meta({ description: 'Absolute path of the folder for the file' }),
      data_dir: z
        .string()
        .meta({ description: 'Absolute path; a checkpoint must be in this folder or in the roots' }),
      cache_dir: z.string(),
      roots: z.array(z.string()),
    }),
    result: ExportedFile,
  },
  study_results: {
    params: z.strictObject({
      cells: z.array(StudyCell).min(1),
      metric: z.string().meta({ description: 'Primary metric' }),
      reference: z.string().nullable().meta({
        description: 'Variant that the others are compared with; null: all pairs if there are few variants',
      }),
      out_file: z.string().meta({ description: 'Absolute path of the result file' }),
    }),
    result: StudyResults,
  },
  study_suggest: {
    params: z.strictObject({
      space: SearchSpace,
      sampler: z.enum(SAMPLERS),
      seed: z.int(),
      random_trials: z
        .int()
        .meta({ description: 'TPE: number of random settings before it uses earlier trials' }),
      direction,
      history: z.array(StudyTrial).meta({ description: 'Earlier trials in order of creation' }),
    }),
    result: z.object({ settings: SearchSettings }),
  },
  study_prune: {
    params: z.strictObject({
      direction,
      startup_trials: z.int().meta({ description: 'Number of completed trials before pruning starts' }),
      warmup_epochs: z.int().meta({ description: 'Number of epochs in which no trial is pruned' }),
      history: z.array(StudyTrial).meta({ description: 'Earlier trials' }),
      steps: TrialSteps.meta({ description: 'Validation metrics of the current trial so far' }),
    }),
    result: z.object({
      epoch: z
        .int()
        .nullable()
        .meta({ description: 'Epoch at which the trial is pruned; null: it continues' }),
    }),
  },
  cache_state: { params: z.strictObject({ cache_dir: z.string() }), result: PreparedCache },
  cache_clear: { params: z.strictObject({ cache_dir: z.string() }), result: PreparedCacheCleared },
  node: {
    params: NodeParams.extend({
      places: Places.optional().meta({
        description:
          'Absolute folders of the service → their paths on the machine of the worker. Absent: the same paths. All other paths, including those of the results, are paths of the service',
      }),
    }),
    result: NodeResults,
  },
  custom_nodes: {
    params: z.strictObject({ folder: z.string().meta({ description: 'Absolute' }) }),
    result: z.object({
      nodes: z.array(
        z.object({
          file: z.string().meta({ description: 'File name in the folder' }),
          sha256: z.string().nullable(),
          declaration: z
            .record(z.string(), z.unknown())
            .nullable()
            .meta({ description: 'The NODE literal of the file' }),
          problem: CustomNodeProblem.omit({ file: true, path: true })
            .meta({ id: 'DeclarationProblem' })
            .nullable(),
        }),
      ),
    }),
  },
  custom_node: {
    params: NodeParams.extend({
      folder: z.string().meta({ description: 'Absolute' }),
      file: z.string(),
      sha256: z.string().meta({ description: 'Digest of the file at the time of planning' }),
    }),
    result: NodeResults,
  },
  preview: {
    params: z.strictObject({
      content: NodeContent,
      offset: z.int().min(0).meta({ description: 'First row of the page' }),
      identifiers: z.boolean().meta({ description: 'Whether identifying values are returned unmasked' }),
      rows: z.int(),
      images: z.int().meta({ description: 'Number of cases with images' }),
      store: z.string(),
      data_dir: z.string(),
      cache_dir: z.string(),
      roots: z.array(z.string()),
    }),
    result: TablePreview,
  },
  ...CASE_TASKS,
  ...PREDICTION_TASKS,
  ...FOLLOW_UP_TASKS,
} as const
export type WorkerTask = keyof typeof WORKER_TASKS

export const WorkerRequest = z
  .strictObject({
    id: z.string(),
    task: z.enum(Object.keys(WORKER_TASKS) as [WorkerTask, ...WorkerTask[]]),
    params: z.unknown(),
  })
  .meta({ id: 'WorkerRequest' })

export const WorkerReply = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('progress'),
      id: z.string(),
      fraction: z.number(),
      message: z.string(),
      message_phrases: phrasesOf('message'),
    }),
    z.object({
      type: z.literal('activity'),
      id: z.string(),
      active: z
        .boolean()
        .meta({ description: 'Whether the process computed or read since the last heartbeat' }),
      file: z
        .string()
        .nullable()
        .meta({ description: 'Name of the last file that the process opened for reading' }),
    }),
    z.object({ type: z.literal('result'), id: z.string(), result: z.unknown() }),
    z.object({
      type: z.literal('error'),
      id: z.string(),
      code: z.string(),
      message: z.string(),
      message_phrases: phrasesOf('message'),
      details: z.string(),
      details_phrases: phrasesOf('details'),
      trace: z.string().nullable(),
      file: z
        .string()
        .nullish()
        .meta({ description: 'Absolute path of the file to which the machine of the worker denied access' }),
    }),
  ])
  .meta({ id: 'WorkerReply' })
