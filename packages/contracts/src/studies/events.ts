import { z } from 'zod'
import { phrasesOf } from '../phrases/phrase.js'
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
      .meta({ description: 'Current state of the study' }),
    z
      .object({
        type: z.literal('training'),
        ...delta,
        index: z.int().min(0).meta({ description: 'Index in `jobs` of the snapshot' }),
        training: StudyJob,
        progress: StudyProgress,
      })
      .meta({ description: 'The state of a training changed' }),
    z
      .object({ type: z.literal('progress'), ...delta, progress: StudyProgress })
      .meta({ description: 'An epoch of a training is completed' }),
    z
      .object({
        type: z.literal('phase'),
        ...delta,
        phase: z.enum(STUDY_PHASES).nullable(),
        message: z.string(),
        message_phrases: phrasesOf('message'),
      })
      .meta({ description: 'The phase of the study changed' }),
    z
      .object({
        type: z.literal('completed'),
        ...delta,
        status: z.enum(['completed', 'stopped']),
        message: z.string(),
        message_phrases: phrasesOf('message'),
        report_path: z.string().nullable(),
      })
      .meta({ description: 'The study is completed or stopped; last message' }),
    z
      .object({
        type: z.literal('error'),
        ...delta,
        error: z.string(),
        error_phrases: phrasesOf('error'),
        code: z.string(),
        details: z.string(),
        report_path: z.string().nullable(),
      })
      .meta({ description: 'The study failed; last message' }),
  ])
  .meta({ id: 'StudyMessage' })
export type StudyMessage = z.infer<typeof StudyMessage>
