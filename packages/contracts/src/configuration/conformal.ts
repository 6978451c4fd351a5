import { z } from 'zod'

/** Configuration of `training.conformal`. */
export const ConformalConfig = z.strictObject({
  alpha: z
    .number()
    .gt(0)
    .max(0.5)
    .default(0.1)
    .meta({ title: 'Share of new cases whose truth may lie outside' }),
  method: z.enum(['lac', 'aps']).default('lac').meta({
    title: 'How classes are chosen: lac (smallest sets) or aps (sets that grow with the difficulty)',
  }),
})
