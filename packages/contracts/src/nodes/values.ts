import { z } from 'zod'
import { TASKS } from '../configuration/choices.js'

/**
 * Content of a value that is passed between nodes: small JSON, written by one executor and read by the next, in any language.
 * Large content is a file of the artifact store, named by its digest, so the service never holds it and equal content is stored once.
 * The digest of a value is that of its canonical JSON. It therefore contains no times, no absolute paths of the store, and nothing that
 * varies between two computations of the same result.
 */

/** A file of the artifact store. */
export const Blob = z
  .strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** Includes the dot; the file is <store>/<first two digits>/<sha256><suffix>. */
    suffix: z.string().regex(/^(\.[a-z0-9]{1,12}){1,2}$/),
    size_bytes: z.int(),
  })
  .meta({ id: 'Blob' })
export type Blob = z.infer<typeof Blob>

/**
 * The last two columns of the table of a CaseSet: the name of the user's file from which a case comes, and its line (the header is line 1).
 * The trainer removes them when it reads the table, because they are not columns of the cases.
 */
export const ORIGIN_COLUMNS = { file: 'medloom_file', row: 'medloom_row' } as const

/** Training configuration keys set by nodes, dotted: {"data.image_size": [80, 80]}. */
export const Settings = z.record(z.string(), z.unknown()).meta({ id: 'Settings' })

/** image, tabular, dataset and multimodal: facets of one sample table with a recorded pipeline. */
export const CaseSet = z
  .strictObject({
    content: z.literal('cases'),
    /**
     * CSV (UTF-8, comma, header): the column `case_id` first, then the original columns, then ORIGIN_COLUMNS if the cases are rows of files.
     * Image cells are absolute paths.
     */
    table: Blob,
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    image_columns: z.array(z.string()),
    label_column: z.string().nullable(),
    patient_column: z.string().nullable(),
    /** Columns that a model may read, in order: those of the loaded table without identifier-like and ignored columns. */
    feature_columns: z.array(z.string()),
    /** Images: the column of a table whose values name them when they are joined with it. Absent: found by its values. */
    join_by: z.string().optional(),
    /** Labels that a node names although they may identify patients; a preview masks them. Absent: none. */
    masked_columns: z.array(z.string()).optional(),
    task: z.enum(TASKS).nullable(),
    classes: z.array(z.string()).nullable(),
    /** Digest over the contents of all images, in order; null without images. */
    images_digest: z.string().nullable(),
    /** Part of the data. */
    split: z.enum(['train', 'val', 'test', 'all']),
    /** The recorded pipeline, merged: preprocessing is fitted by the training, only on its training split. */
    settings: Settings,
    /** Lineage: digests of every table from which this one was made, including itself, with the steps. */
    lineage: z.array(z.strictObject({ sha256: z.string(), step: z.string(), split: z.string() })),
    /** Split by patients upstream: digest, independent of the seed, of the whole set before the split; null if it was not split here. */
    split_of: z.string().nullable(),
  })
  .meta({ id: 'CaseSet' })
export type CaseSet = z.infer<typeof CaseSet>

/** config: settings for a training, or facts (columns, metadata, scaler, model summary). */
export const ConfigContent = z
  .strictObject({
    content: z.literal('config'),
    settings: Settings,
    facts: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ConfigContent' })

/** model, not trained yet. */
export const ModelPlan = z
  .strictObject({
    content: z.literal('model_plan'),
    settings: Settings,
    num_classes: z.int().nullable(),
    task: z.enum(TASKS).nullable(),
    /** Digest of the file that `settings` names as pretrained weights: other weights under the same name are a different model. */
    weights_sha256: z.string().optional(),
  })
  .meta({ id: 'ModelPlan' })

/** model, trained: a checkpoint of a training job. */
export const TrainedModel = z
  .strictObject({
    content: z.literal('trained_model'),
    job_id: z.string(),
    model_id: z.string().nullable(),
    /** Relative to the data folder of the service. */
    checkpoint: z.string(),
    checkpoint_digest: z.string(),
    settings: Settings,
    task: z.enum(TASKS),
    classes: z.array(z.string()).nullable(),
    /** Lineage of the training data, including validation. */
    lineage: z.array(z.strictObject({ sha256: z.string(), step: z.string(), split: z.string() })),
    /** The training and validation tables, for comparison with a later test set. */
    train_table: Blob,
    val_table: Blob.nullable(),
  })
  .meta({ id: 'TrainedModel' })

/**
 * A file for users: stored in the artifact store and copied by the service to a place where users find it. Nodes themselves write only to
 * the store.
 */
export const PlacedFile = z
  .strictObject({
    title: z.string(),
    blob: Blob,
    /** Relative to the project folder of the workflow, or to the folder that `below` names; separated by /. */
    path: z.string(),
    /** outputs: the output folder of the service, at a path from the node's configuration. */
    below: z.enum(['outputs']).optional(),
  })
  .meta({ id: 'PlacedFile' })
export type PlacedFile = z.infer<typeof PlacedFile>

/** metrics: an evaluation (evaluation.json, contracts EvaluationResult) or a history ({epochs: [{epoch, metrics}]}). */
export const MetricsContent = z
  .strictObject({
    content: z.enum(['evaluation', 'history']),
    document: Blob,
    /** Headline metrics, for a summary. */
    metrics: z.record(z.string(), z.number().nullable()),
    /** Predictions of an evaluation, if they are stored. */
    files: z.array(PlacedFile).optional(),
    /** FailureImages of an evaluation whose model reads images. */
    failure_images: Blob.optional(),
  })
  .meta({ id: 'MetricsContent' })

export const Predictions = z
  .strictObject({
    content: z.literal('predictions'),
    table: Blob,
    num_cases: z.int(),
    columns: z.array(z.string()),
    /** Columns with ids of the cases, besides case_id and patient; a preview masks them. Absent: none. */
    id_columns: z.array(z.string()).optional(),
  })
  .meta({ id: 'Predictions' })

export const ConfusionMatrix = z
  .strictObject({
    content: z.literal('confusion_matrix'),
    classes: z.array(z.string()).nullable(),
    /** Rows: true classes, columns: predicted classes; null for a regression. */
    matrix: z.array(z.array(z.int())).nullable(),
  })
  .meta({ id: 'ConfusionMatrix' })

/** path: files that a node wrote, with the paths where users find them. */
export const FilesContent = z
  .strictObject({
    content: z.literal('files'),
    kind: z.string(),
    files: z.array(PlacedFile),
    /** Requested but undefined content, such as a plot of a metric without a value. */
    not_made: z.array(z.strictObject({ title: z.string(), reason: z.string() })).optional(),
  })
  .meta({ id: 'FilesContent' })

export const NodeContent = z
  .discriminatedUnion('content', [
    CaseSet,
    ConfigContent,
    ModelPlan,
    TrainedModel,
    MetricsContent,
    Predictions,
    ConfusionMatrix,
    FilesContent,
  ])
  .meta({ id: 'NodeContent' })
export type NodeContent = z.infer<typeof NodeContent>
