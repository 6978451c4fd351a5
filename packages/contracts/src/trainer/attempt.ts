import { z } from 'zod'

/** Attempt that wrote a file shared by the attempts of a job. Files of older versions lack it. */
export const WrittenBy = z.int().min(1).optional().meta({
  description:
    'The attempt that wrote this; a late writer of an older attempt replaces nothing of a newer one',
})
