import { z } from 'zod'
import { ErrorIssue } from '../codes/index.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { PlannedData, PlannedMemory, PlannedModel } from '../trainer/training-outlook.js'

/** Check of a training before it is started. */

export const TrainingCheckRequest = z
  .strictObject({
    config: z.record(z.string(), z.unknown()).meta({
      title: 'Training configuration; it may be incomplete or wrong, which the answer then says',
      examples: [{ data: { train_csv: 'train.csv' }, model: { vision_backbone: 'resnet18' } }],
    }),
    wait_seconds: z.number().min(0).max(60).default(1).meta({
      title:
        'How long the answer waits for what the trainer finds in the tables; it goes on reading, and the same request asked again gets what it found',
    }),
  })
  .meta({ id: 'TrainingCheckRequest' })
export type TrainingCheckRequest = z.infer<typeof TrainingCheckRequest>

/** Estimated duration, based on finished trainings on this machine. */
export const TimeEstimate = z
  .object({
    seconds: z.number().nullable().meta({ description: 'Null where nothing comparable was trained' }),
    low_seconds: z.number().nullable(),
    high_seconds: z.number().nullable().meta({
      description: 'Low and high: the range in which the trainings that it is made from would have it',
    }),
    basis: z.enum(['same', 'similar']).nullable().meta({
      description:
        'same: trainings of the same model on the same table; similar: of the same backbone and kind of fusion, scaled by cases, images and their size',
    }),
    jobs: z.array(z.uuid()).meta({ description: 'Trainings that it is made from' }),
    reason: z.string().nullable().meta({ description: 'Why there is no estimate' }),
  })
  .meta({ id: 'TimeEstimate' })
export type TimeEstimate = z.infer<typeof TimeEstimate>

export const TRAINER_STATES = ['answered', 'working', 'failed', 'not_asked'] as const

export const TrainingCheck = z
  .object({
    ok: z.boolean().meta({
      description:
        'Whether nothing was found that a start would be refused for, or that the training would fail of',
    }),
    issues: z.array(ErrorIssue).meta({
      description:
        'Everything that is wrong, each with its remedy as the hint; those of severity warning stop nothing',
    }),
    config: TrainingConfig.nullable().meta({
      description: 'Complete, with every default and absolute paths; null while a key is wrong',
    }),
    networks: z.int().nullable().meta({
      description:
        'Networks that it trains: members, and baselines that are networks; null while a key is wrong',
    }),
    trainer: z
      .object({
        state: z.enum(TRAINER_STATES).meta({
          description:
            'answered: data, model and memory are known, as far as the tables can be read; working: ask again; not_asked: the configuration is wrong before any table is read',
        }),
        reason: z.string().nullable().meta({ description: 'Why it failed' }),
      })
      .meta({ description: 'Whether the trainer has read the tables' }),
    data: PlannedData.nullable().meta({ description: 'Roles of the columns, and the cases of each split' }),
    model: PlannedModel.nullable(),
    memory: PlannedMemory.nullable(),
    time: TimeEstimate,
  })
  .meta({ id: 'TrainingCheck' })
export type TrainingCheck = z.infer<typeof TrainingCheck>
