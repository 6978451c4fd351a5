import { z } from 'zod'

/** Which attempt wrote a file that the attempts of a job share. Files of older versions lack it. */
export const WrittenBy = z.int().min(1).optional().meta({
  description:
    'The attempt that wrote this; a late writer of an older attempt replaces nothing of a newer one',
})
