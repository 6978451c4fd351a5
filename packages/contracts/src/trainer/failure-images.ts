import { z } from 'zod'
import { RUN_SCHEMA_VERSION } from './spec.js'

/**
 * evaluations/<id>/failure-images.json, if requested, and a file of the node EvaluateModel: the first failure cases of the result as the model
 * sees them. Identified only by position: no file names, no patients.
 */
export const FailureImages = z
  .object({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    num_views: z
      .int()
      .meta({ description: 'Views of a case, missing ones included; 0: the model reads no images' }),
    saliency: z
      .boolean()
      .optional()
      .meta({ description: 'True where it was asked for, also where no region raised the prediction' }),
    cases: z
      .array(
        z.array(
          z.object({
            view: z.int().meta({ description: 'From 1' }),
            png: z.string().meta({ description: 'base64' }),
            saliency: z.string().optional().meta({
              description:
                'base64 PNG: the same image in grey below what raised the prediction; of one view at most',
            }),
          }),
        ),
      )
      .meta({ description: 'Of each of the first failures, in their order: the views that are not missing' }),
  })
  .meta({ id: 'FailureImages' })
export type FailureImages = z.infer<typeof FailureImages>
