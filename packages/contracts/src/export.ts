import { z } from 'zod'
import { Warning } from './codes/index.js'
import { EXPORT_FORMATS, QUANTIZATIONS } from './export-formats.js'

export const ExportRequest = z
  .strictObject({
    format: z.enum(EXPORT_FORMATS).default('ONNX').meta({ title: 'Format of the file' }),
    quantization: z.enum(QUANTIZATIONS).default('none').meta({
      title: 'Store the weights in fewer bits; the result is compared with the original before it is kept',
    }),
    checkpoint_path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .meta({ title: 'Checkpoint folder; absent: the best one' }),
  })
  .meta({ id: 'ExportRequest' })

export const ExportedFile = z.object({
  file: z.string().meta({ description: 'Its name' }),
  sha256: z.string(),
  size_bytes: z.int(),
  difference: z.number().meta({
    description:
      'Largest difference of a prediction from the trained model, of a probability or in deviations of the label',
  }),
  warnings: z.array(Warning),
})

export const ModelExport = ExportedFile.extend({
  model_id: z.string(),
  job_id: z.uuid(),
  file: z.string().meta({ description: 'For GET /api/training/{job_id}/files/{path}' }),
  format: z.enum(EXPORT_FORMATS),
  quantization: z.enum(QUANTIZATIONS),
  path: z.string().meta({ description: 'The file, on the machine of the service' }),
}).meta({ id: 'ModelExport' })
export type ModelExport = z.infer<typeof ModelExport>
