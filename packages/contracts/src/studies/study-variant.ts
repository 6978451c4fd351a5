import { z } from 'zod'
import { printable } from './printable.js'

/** One variant that the study compares: its changes to the base configuration. */
export const StudyVariant = z
  .strictObject({
    name: printable(80).meta({ title: 'Name of the variant' }),
    config: z
      .record(z.string(), z.unknown())
      .default({})
      .meta({ title: 'Keys of the training configuration that differ from the base' }),
    description: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .meta({ title: 'Description of the variant, for the report' }),
  })
  .meta({ id: 'StudyVariant' })
export type StudyVariant = z.output<typeof StudyVariant>
