import { z } from 'zod'
import { RUN_SCHEMA_VERSION } from './spec.js'

/**
 * evaluations/<id>/failure-images.json, if requested, and a file of the node EvaluateModel: the first failure cases of the result as the model
 * sees them. Identified only by position: no file names, no patients.
 */
export const FailureImages = z
  .object({
    schema_version: z.literal(RUN_SCHEMA_VERSION),
    num_views: z.int().meta({
      description: 'Number of views per case, including missing views; 0: the model does not read images',
    }),
    saliency: z.boolean().optional().meta({
      description: 'Whether saliency maps were requested, even if no region increased the prediction',
    }),
    cases: z
      .array(
        z.array(
          z.object({
            view: z.int().meta({ description: 'From 1' }),
            png: z.string().meta({ description: 'base64' }),
            saliency: z.string().optional().meta({
              description: 'base64 PNG: saliency map over the image in gray, for at most one view',
            }),
          }),
        ),
      )
      .meta({ description: 'Available views of each of the first failure cases, in the same order' }),
  })
  .meta({ id: 'FailureImages' })
export type FailureImages = z.infer<typeof FailureImages>
