import { z } from 'zod'

/** Calibration curve: bins of cases with similar predictions, with the mean prediction and the observed frequency with its interval. */
export const CalibrationBins = z.array(
  z.object({
    predicted: z.number(),
    observed: z.number(),
    count: z.int(),
    low: z.number(),
    high: z.number(),
    least: z.number().optional().meta({
      description:
        'Smallest prediction in the bin; absent, like the largest, for survival and in results of older versions',
    }),
    most: z.number().optional(),
  }),
)
