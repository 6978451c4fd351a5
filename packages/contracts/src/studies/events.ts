import { z } from 'zod'
import { Timestamp } from '../timestamp.js'
import { STUDY_PHASES } from './status.js'
import { Study, StudyJob, StudyProgress } from './study.js'

const delta = { study_id: z.uuid(), seq: z.int().min(1), timestamp: Timestamp }

/** Messages on /ws/studies/{study_id}: one snapshot, followed by changes, and one terminal message, which is the last. */
export const StudyMessage = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('snapshot'),
        study_id: z.uuid(),
        seq: z.int().min(0),
        timestamp: Timestamp,
        state: Study,
      })
      .meta({ description: 'The study as it is' }),
    z
      .object({
        type: z.literal('training'),
        ...delta,
        index: z.int().min(0).meta({ description: 'Its place in `jobs` of the snapshot' }),
        training: StudyJob,
        progress: StudyProgress,
      })
      .meta({ description: 'A training has a new state' }),
    z
      .object({ type: z.literal('progress'), ...delta, progress: StudyProgress })
      .meta({ description: 'An epoch of a training is done' }),
    z
      .object({
        type: z.literal('phase'),
        ...delta,
        phase: z.enum(STUDY_PHASES).nullable(),
        message: z.string(),
      })
      .meta({ description: 'The study does something else now' }),
    z
      .object({
        type: z.literal('completed'),
        ...delta,
        status: z.enum(['completed', 'stopped']),
        message: z.string(),
        report_path: z.string().nullable(),
      })
      .meta({ description: 'The study is completed or was stopped; the last message' }),
    z
      .object({
        type: z.literal('error'),
        ...delta,
        error: z.string(),
        code: z.string(),
        details: z.string(),
        report_path: z.string().nullable(),
      })
      .meta({ description: 'The study failed; the last message' }),
  ])
  .meta({ id: 'StudyMessage' })
export type StudyMessage = z.infer<typeof StudyMessage>
