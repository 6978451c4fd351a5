import { z } from 'zod'
import { Timestamp } from '../timestamp.js'

/** A file in the run directory, written by a training or by a computation on its model. */
export const JobFile = z
  .object({
    path: z.string().meta({
      description: 'Path in the run directory, separated by /, as at the end of the URL',
      examples: ['reports/report.html'],
    }),
    size_bytes: z.int(),
    changed_at: Timestamp,
  })
  .meta({ id: 'JobFile' })
export type JobFile = z.infer<typeof JobFile>

const checkpoints = z
  .enum(['true', 'false'])
  .default('false')
  .meta({ description: 'true: include the weights in checkpoints/' })

/** Query fields that select the listed files of a run. */
export const jobFilesQuery = {
  under: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'Only files in this folder and its subfolders', examples: ['exports'] }),
  checkpoints,
}
export const jobFileQuery = {
  checkpoints,
  download: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true: download an HTML page instead of showing it' }),
}

/** Extensions of files of a run → media types; other files are returned as plain bytes. */
export const JOB_FILE_TYPES = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  log: 'text/plain; charset=utf-8',
  yaml: 'application/yaml',
  json: 'application/json',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  svg: 'image/svg+xml',
  png: 'image/png',
} as const
export const OTHER_FILE_TYPE = 'application/octet-stream'
