import { z } from 'zod'
import { Warning } from './codes/index.js'
import { QUANTIZATIONS, REQUEST_FORMATS } from './export-formats.js'

export const ExportRequest = z
  .strictObject({
    format: z
      .enum(REQUEST_FORMATS)
      .default('ONNX')
      .meta({ title: 'File format; Package: a zip that predicts without Medloom' }),
    quantization: z.enum(QUANTIZATIONS).default('none').meta({
      title:
        'Store the weights with fewer bits. The quantized model is compared with the original before it is saved',
    }),
    checkpoint_path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .meta({ title: 'Checkpoint folder. Default: the best checkpoint' }),
  })
  .meta({ id: 'ExportRequest' })

export const ExportedFile = z.object({
  file: z.string().meta({ description: 'File name' }),
  sha256: z.string(),
  size_bytes: z.int(),
  difference: z.number().meta({
    description:
      'Largest difference between a prediction and that of the trained model, as a probability or in standard deviations of the label',
  }),
  warnings: z.array(Warning),
})

export const ModelExport = ExportedFile.extend({
  model_id: z.string(),
  job_id: z.uuid(),
  file: z.string().meta({ description: 'Path for GET /api/training/{job_id}/files/{path}' }),
  format: z.enum(REQUEST_FORMATS),
  quantization: z.enum(QUANTIZATIONS),
  path: z.string().meta({ description: 'Path of the file on the machine of the service' }),
}).meta({ id: 'ModelExport' })
export type ModelExport = z.infer<typeof ModelExport>
