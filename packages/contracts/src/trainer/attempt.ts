import { z } from 'zod'

/** Attempt that wrote a file shared by the attempts of a job. Files of older versions lack it. */
export const WrittenBy = z.int().min(1).optional().meta({
  description: 'Number of the attempt that wrote this; an older attempt never replaces files of a newer one',
})
