import { z } from 'zod'

/** Configuration of `training.conformal`. */
export const ConformalConfig = z.strictObject({
  alpha: z
    .number()
    .gt(0)
    .max(0.5)
    .default(0.1)
    .meta({ title: 'Share of new cases whose true value may be outside the set or interval' }),
  method: z.enum(['lac', 'aps']).default('lac').meta({
    title: 'Method for classes: lac (smallest sets) or aps (larger sets for difficult cases)',
  }),
})
