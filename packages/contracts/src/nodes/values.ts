import { z } from 'zod'
import { TASKS } from '../configuration/choices.js'

/**
 * What a value carries from node to node: JSON, small, written by one executor and read by the next, whatever language either is in.
 * Everything large is a file of the artifact store, named by its digest, so the service never holds it and equal content is stored once.
 * A value's own digest is that of its canonical JSON; hence no times, no absolute paths of the store, nothing that varies between two
 * computations of the same thing.
 */

/** A file of the artifact store. */
export const Blob = z
  .strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** With its dot; the file is <store>/<first two digits>/<sha256><suffix>. */
    suffix: z.string().regex(/^(\.[a-z0-9]{1,12}){1,2}$/),
    size_bytes: z.int(),
  })
  .meta({ id: 'Blob' })
export type Blob = z.infer<typeof Blob>

/**
 * The last two columns of the table of a CaseSet: name of the user's file that a case comes from, and the line in it, the header being
 * line 1. The trainer's reader takes them off again: they are no columns of the cases.
 */
export const ORIGIN_COLUMNS = { file: 'medloom_file', row: 'medloom_row' } as const

/** Dotted keys of the training configuration that nodes have set: {"data.image_size": [80, 80]}. */
export const Settings = z.record(z.string(), z.unknown()).meta({ id: 'Settings' })

/** image, tabular, dataset and multimodal: one sample table seen from several sides, with a recorded pipeline. */
export const CaseSet = z
  .strictObject({
    content: z.literal('cases'),
    /**
     * CSV (UTF-8, comma, header): the column `case_id` first, then the columns as they were read, then ORIGIN_COLUMNS where the cases
     * come from the rows of files. Image cells are absolute paths.
     */
    table: Blob,
    num_cases: z.int(),
    num_patients: z.int().nullable(),
    image_columns: z.array(z.string()),
    label_column: z.string().nullable(),
    patient_column: z.string().nullable(),
    /** Columns that a model may read, in order: those of a table that was loaded, less id-like and left-out ones. */
    feature_columns: z.array(z.string()),
    task: z.enum(TASKS).nullable(),
    classes: z.array(z.string()).nullable(),
    /** Digest over the contents of all images, in order; null without images. */
    images_digest: z.string().nullable(),
    /** Which part this is. */
    split: z.enum(['train', 'val', 'test', 'all']),
    /** The recorded pipeline, merged: what is fitted is fitted by the training, on its training part alone. */
    settings: Settings,
    /** Digests of every table that this one was made from, itself included, and how: lineage. */
    lineage: z.array(z.strictObject({ sha256: z.string(), step: z.string(), split: z.string() })),
    /** Patients-grouped split done above: the seed-free digest of the whole set that was split; null when it was not split here. */
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
    /** Of the file that `settings` names as pretrained weights, where it does: other weights under the same name are another model. */
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
    /** Lineage of the data that it was trained on, validation included. */
    lineage: z.array(z.strictObject({ sha256: z.string(), step: z.string(), split: z.string() })),
    /** The training and validation tables, so that a later test set can be compared with them. */
    train_table: Blob,
    val_table: Blob.nullable(),
  })
  .meta({ id: 'TrainedModel' })

/**
 * A file for people: kept in the artifact store, and put by the service where they find it. Nodes themselves write nowhere but into the
 * store.
 */
export const PlacedFile = z
  .strictObject({
    title: z.string(),
    blob: Blob,
    /** Relative to the project folder of the workflow, or to the folder that `below` names; with / between its parts. */
    path: z.string(),
    /** outputs: the output folder of the service, in a place that the config of the node names. */
    below: z.enum(['outputs']).optional(),
  })
  .meta({ id: 'PlacedFile' })
export type PlacedFile = z.infer<typeof PlacedFile>

/** metrics: an evaluation (evaluation.json, contracts EvaluationResult) or a history ({epochs: [{epoch, metrics}]}). */
export const MetricsContent = z
  .strictObject({
    content: z.enum(['evaluation', 'history']),
    document: Blob,
    /** The headline numbers, for a summary. */
    metrics: z.record(z.string(), z.number().nullable()),
    /** The predictions of an evaluation, where they are kept. */
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
  })
  .meta({ id: 'Predictions' })

export const ConfusionMatrix = z
  .strictObject({
    content: z.literal('confusion_matrix'),
    classes: z.array(z.string()).nullable(),
    /** Row: true class, column: predicted; null for a regression. */
    matrix: z.array(z.array(z.int())).nullable(),
  })
  .meta({ id: 'ConfusionMatrix' })

/** path: files that a node made, with where a person finds them. */
export const FilesContent = z
  .strictObject({
    content: z.literal('files'),
    kind: z.string(),
    files: z.array(PlacedFile),
    /** What was asked for and is not defined here: a plot of a metric that has no value. */
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
