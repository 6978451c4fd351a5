import { z } from 'zod'

/** Frames and series are divided in acquisition order, whatever the axis. */
export const Slices = z.strictObject({
  count: z.int().min(1).max(64).default(3).meta({ title: 'Number of slices per volume' }),
  axis: z
    .enum(['axial', 'coronal', 'sagittal'])
    .default('axial')
    .meta({ title: 'Plane of the slices of a NIfTI volume' }),
  spread: z.enum(['content', 'volume']).default('content').meta({
    title: 'Distribution of the slices: evenly over the slices with content, or over the whole volume',
  }),
})
export type Slices = z.output<typeof Slices>

/** Volumes read as slices, each of which is a view of its case. */
export const VolumesRead = z
  .object({
    count: z
      .int()
      .meta({ description: 'Volumes in all splits, except those for which the table names a slice' }),
    slices: Slices.meta({
      description: 'Number, plane and distribution of the slices (data.slices)',
    }),
  })
  .meta({ id: 'VolumesRead' })
export type VolumesRead = z.infer<typeof VolumesRead>
