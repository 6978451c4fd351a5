import { z } from 'zod'
import { valueType } from '../nodes/catalog.js'
import {
  CaseSet,
  ConfusionMatrix,
  MetricsContent,
  ModelPlan,
  PlacedFile,
  Predictions,
  Settings,
  TrainedModel,
} from '../nodes/values.js'
import { phrasesOf } from '../phrases/phrase.js'

/** Limits for a document: list items and text characters in a response, and the size of the largest document that is read. */
export const VALUE_LIMITS = { items: 2000, characters: 2000, document_bytes: 16 * 1024 * 1024 } as const

const cut = z.boolean().meta({
  description: `Whether lists were truncated to ${VALUE_LIMITS.items} items or texts to ${VALUE_LIMITS.characters} characters`,
})

/** Members that are not listed are omitted from a response, not rejected. */
const given = <S extends z.ZodRawShape>({ shape }: z.ZodObject<S>) => z.object(shape)

/** A file of a result; `path` identifies it in requests. */
const ShownFile = given(PlacedFile.pick({ title: true, path: true })).extend({ size_bytes: z.int() })
export type ShownFile = z.infer<typeof ShownFile>

/** Value of a port, by kind. previewNode returns the rows and images of cases and predictions, in pages. */
export const ShownValue = z
  .discriminatedUnion('content', [
    given(
      CaseSet.pick({
        content: true,
        num_cases: true,
        num_patients: true,
        image_columns: true,
        label_column: true,
        feature_columns: true,
        task: true,
        classes: true,
        split: true,
        settings: true,
      }),
    ),
    z.object({
      content: z.literal('config'),
      settings: Settings,
      facts: z.record(z.string(), z.unknown()),
      cut,
    }),
    given(ModelPlan.pick({ content: true, settings: true, num_classes: true, task: true })),
    given(
      TrainedModel.pick({
        content: true,
        job_id: true,
        model_id: true,
        settings: true,
        task: true,
        classes: true,
      }),
    ),
    z.object({
      content: z.literal('evaluation'),
      metrics: MetricsContent.shape.metrics,
      document: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({ description: 'Evaluation including curves; null: exceeds the size limit' }),
      files: z.array(ShownFile).meta({ description: 'Prediction files, if they were saved' }),
      cut,
    }),
    z.object({
      content: z.literal('history'),
      metrics: MetricsContent.shape.metrics,
      epochs: z
        .array(z.object({ epoch: z.int(), metrics: z.record(z.string(), z.number().nullable()) }))
        .nullable()
        .meta({ description: 'One page of epochs; null: exceeds the size limit' }),
      num_epochs: z.int(),
    }),
    given(Predictions.pick({ content: true, num_cases: true, columns: true })),
    ConfusionMatrix,
    z.object({
      content: z.literal('files'),
      kind: z.string(),
      files: z.array(ShownFile),
      num_files: z.int(),
      not_made: z.array(z.object({ title: z.string(), reason: z.string() })),
    }),
  ])
  .meta({ id: 'ShownValue' })
export type ShownValue = z.infer<typeof ShownValue>

export const PortValue = z
  .object({
    workflow_id: z.string(),
    node: z.string(),
    port: z.string(),
    type: valueType,
    summary: z.string(),
    summary_phrases: phrasesOf('summary'),
    digest: z.string().meta({ description: 'Digest, as in the status of a run' }),
    value: ShownValue,
    next_page_token: z
      .string()
      .nullable()
      .meta({ description: 'Next page of epochs and files; null on the last page' }),
  })
  .meta({ id: 'PortValue' })
export type PortValue = z.infer<typeof PortValue>

const id = z.string().min(1).max(200)
/** Query fields that select a result of a node. */
export const resultQuery = {
  node: id,
  run_id: z.string().max(200).optional().meta({
    description: 'Run whose result is returned if it is still cached. Default: the latest result',
  }),
}
export const PortValueQuery = { ...resultQuery, port: id }
/** Query fields of a file request, in addition to the path. */
export const portFileQuery = {
  ...PortValueQuery,
  download: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true: download an HTML page instead of showing it' }),
}
