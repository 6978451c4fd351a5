import { z } from 'zod'
import { Interval } from '../../interval.js'
import { Metrics } from '../../jobs/metrics.js'
import { phrasesOf } from '../../phrases/phrase.js'
import { WITHHELD, withoutSmallCells } from './small-cells.js'

const Subgroup = z.object({
  column: z.string(),
  group: z.string(),
  cases: z.int().nullable().meta({ description: 'Null: withheld' }),
  patients: z.int().nullable().optional(),
  events: z.int().nullable(),
  metrics: Metrics,
  intervals: z
    .record(z.string(), Interval)
    .optional()
    .meta({ description: 'absent, like patients, in results of older versions' }),
  reason: z.string().nullable(),
  reason_phrases: phrasesOf('reason'),
  withheld: z.enum(WITHHELD).nullable().optional().meta({
    description:
      'Counts that may reveal the outcome of a patient are withheld, with the results of the group. size: all counts; events: the number of events; null: nothing. Absent in files of the trainer, which are not for others',
  }),
})

/** Whoever reads a result gets its subgroups without small counts: the page, reports, the command line and clients alike. */
export const Subgroups = z.array(Subgroup).overwrite(withoutSmallCells)

/** The JSON of a result without small counts; the same object if it has none. */
export function withoutSmallSubgroups(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('subgroups' in result)) return result
  const { success, data: subgroups = [] } = Subgroups.safeParse(result.subgroups)
  return success && subgroups.every(({ withheld }) => withheld === null) ? result : { ...result, subgroups }
}
