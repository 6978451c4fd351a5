import { z } from 'zod'
import { CASE_TASKS } from '../cases.js'
import { Warning } from '../codes/index.js'
import { Folds, Slices, TASKS, TrainerConfig } from '../configuration/index.js'
import { CHOSEN_ROLES, Inspection } from '../datasets.js'
import { ExportedFile } from '../export.js'
import { EXPORT_FORMATS, QUANTIZATIONS } from '../export-formats.js'
import { EnsembleFit, EnsembleMember } from '../jobs/ensemble.js'
import { ImportanceRequest } from '../models.js'
import { NodeContent } from '../nodes/values.js'
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

const direction = z.enum(['lower', 'higher']).meta({ description: 'Which values are better' })

/** Input and output of a node computation. */
const NodeParams = z.strictObject({
  type: z.string().meta({ description: 'Node type of the catalog' }),
  config: z.record(z.string(), z.unknown()).meta({ description: 'Complete' }),
  inputs: z
    .record(z.string(), z.array(NodeContent))
    .meta({ description: 'port → the values that arrive; several where a port joins parts' }),
  store: z.string().meta({ description: 'Absolute; the artifact store, see Blob' }),
  data_dir: z.string().meta({ description: 'Absolute; checkpoint paths of trained models start here' }),
  cache_dir: z.string(),
  roots: z.array(z.string()),
  device: z.string(),
})
const NodeResults = z.object({
  outputs: z.record(z.string(), z.object({ content: NodeContent, summary: z.string() })),
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
      .meta({ description: 'Package → version, of the trainer and of what it computes with' }),
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
      roots: z.array(z.string()),
    }),
    result: Inspection,
  },
  check_training: {
    params: z.strictObject({
      config: TrainerConfig.meta({ description: 'Complete, with absolute paths' }),
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
        .meta({ description: 'Absolute; evaluation.json and predictions.csv are written here' }),
      calibrated: z.boolean().meta({ description: 'Apply the temperature of the checkpoint' }),
      failure_images: z
        .boolean()
        .meta({ description: 'Write failure-images.json there too, see FailureImages' }),
      saliency: z.boolean().meta({ description: 'With where the network looked, over the failure images' }),
      importance: ImportanceRequest.nullable().meta({ description: 'Null: not asked for' }),
      data_dir: z.string().meta({ description: 'Absolute; a checkpoint lies here or inside the roots' }),
      cache_dir: z.string(),
      roots: z.array(z.string()),
      device: z.string(),
    }),
    result: EvaluationResult,
  },
  study_folds: {
    params: z.strictObject({
      config: TrainerConfig,
      folds: Folds.nullable().meta({ description: 'Null: the tables are read, and not divided' }),
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
        .meta({ description: 'Absolute; comparison.json and predictions.csv are written here' }),
      data_dir: z.string().meta({ description: 'Absolute; checkpoints lie here or inside the roots' }),
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
          'Absolute; checkpoints/best and what recognizes the cases of the members are written here',
      }),
      data_dir: z.string().meta({ description: 'Absolute; checkpoints lie here or inside the roots' }),
      roots: z.array(z.string()),
    }),
    result: z.object({
      task: z.enum(TASKS),
      classes: z.array(z.string()).nullable(),
      parameters: z.int(),
      data_digests: z.record(z.string(), z.string()),
      cases_known: z.boolean().meta({ description: 'Whether every member recorded its cases' }),
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
        .meta({ description: 'In the order of the params, from the checkpoints themselves' }),
    }),
  },
  export: {
    params: z.strictObject({
      checkpoint: z.string(),
      format: z.enum(EXPORT_FORMATS),
      quantization: z.enum(QUANTIZATIONS),
      out_dir: z.string().meta({ description: 'Absolute; the file is written here' }),
      data_dir: z.string().meta({ description: 'Absolute; a checkpoint lies here or inside the roots' }),
      cache_dir: z.string(),
      roots: z.array(z.string()),
    }),
    result: ExportedFile,
  },
  study_results: {
    params: z.strictObject({
      cells: z.array(StudyCell).min(1),
      metric: z.string().meta({ description: 'The primary metric' }),
      reference: z
        .string()
        .nullable()
        .meta({ description: 'Variant that the others are compared with; null: each with each, when few' }),
      out_file: z.string().meta({ description: 'Absolute; the result is written here' }),
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
        .meta({ description: 'Of TPE: settings that are drawn at random before it learns' }),
      direction,
      history: z.array(StudyTrial).meta({ description: 'In the order in which they were asked for' }),
    }),
    result: z.object({ settings: SearchSettings }),
  },
  study_prune: {
    params: z.strictObject({
      direction,
      startup_trials: z.int().meta({ description: 'Complete trials before one is pruned' }),
      warmup_epochs: z.int().meta({ description: 'Epochs in which none is pruned' }),
      history: z.array(StudyTrial).meta({ description: 'The trials before this one' }),
      steps: TrialSteps.meta({ description: 'Of the trial that is asked about, so far' }),
    }),
    result: z.object({
      epoch: z.int().nullable().meta({ description: 'With which it should end; null: it goes on' }),
    }),
  },
  cache_state: { params: z.strictObject({ cache_dir: z.string() }), result: PreparedCache },
  cache_clear: { params: z.strictObject({ cache_dir: z.string() }), result: PreparedCacheCleared },
  node: {
    params: NodeParams.extend({
      places: Places.optional().meta({
        description:
          'Absolute folders as the service names them, and where the machine of the worker has them; absent: in the same place. All other paths, of the results too, are those of the service',
      }),
    }),
    result: NodeResults,
  },
  custom_nodes: {
    params: z.strictObject({ folder: z.string().meta({ description: 'Absolute' }) }),
    result: z.object({
      nodes: z.array(
        z.object({
          file: z.string().meta({ description: 'Its name in the folder' }),
          sha256: z.string().nullable(),
          declaration: z.record(z.string(), z.unknown()).nullable().meta({ description: 'Its literal NODE' }),
          problem: z.object({ line: z.int().nullable(), message: z.string(), remedy: z.string() }).nullable(),
        }),
      ),
    }),
  },
  custom_node: {
    params: NodeParams.extend({
      folder: z.string().meta({ description: 'Absolute' }),
      file: z.string(),
      sha256: z.string().meta({ description: 'Of the file as the run was planned with it' }),
    }),
    result: NodeResults,
  },
  preview: {
    params: z.strictObject({
      content: NodeContent,
      offset: z.int().min(0).meta({ description: 'Row that the page begins with' }),
      identifiers: z.boolean().meta({ description: 'Whether identifying values are given as they are' }),
      rows: z.int(),
      images: z.int().meta({ description: 'Cases whose images are shown' }),
      store: z.string(),
      data_dir: z.string(),
      cache_dir: z.string(),
      roots: z.array(z.string()),
    }),
    result: TablePreview,
  },
  ...CASE_TASKS,
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
    z.object({ type: z.literal('progress'), id: z.string(), fraction: z.number(), message: z.string() }),
    z.object({
      type: z.literal('activity'),
      id: z.string(),
      active: z
        .boolean()
        .meta({ description: 'Whether the process computed or read since the last such line' }),
      file: z.string().nullable().meta({ description: 'Name of the last file that it opened for reading' }),
    }),
    z.object({ type: z.literal('result'), id: z.string(), result: z.unknown() }),
    z.object({
      type: z.literal('error'),
      id: z.string(),
      code: z.string(),
      message: z.string(),
      details: z.string(),
      trace: z.string().nullable(),
      file: z
        .string()
        .nullish()
        .meta({ description: 'Absolute path of the file that the machine of the worker refused' }),
    }),
  ])
  .meta({ id: 'WorkerReply' })
