import { z } from 'zod'

/** Frames and series are divided in acquisition order, whatever the axis. */
export const Slices = z.strictObject({
  count: z.int().min(1).max(64).default(3).meta({ title: 'Slices of each volume' }),
  axis: z
    .enum(['axial', 'coronal', 'sagittal'])
    .default('axial')
    .meta({ title: 'Plane of the slices of a NIfTI volume' }),
  spread: z.enum(['content', 'volume']).default('content').meta({
    title: 'Spread evenly over the slices that have content, or over the whole volume',
  }),
})
export type Slices = z.output<typeof Slices>

/** Volumes read as slices, each of which is a view of its case. */
export const VolumesRead = z
  .object({
    count: z.int().meta({ description: 'Volumes, of all splits; slices that a table names itself are none' }),
    slices: Slices.meta({
      description: 'How many slices of each, in which plane, spread over what (data.slices)',
    }),
  })
  .meta({ id: 'VolumesRead' })
export type VolumesRead = z.infer<typeof VolumesRead>
