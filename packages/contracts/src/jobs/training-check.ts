import { z } from 'zod'
import { ErrorIssue } from '../codes/index.js'
import { TrainingConfig } from '../configuration/training-config.js'
import { phrasesOf } from '../phrases/phrase.js'
import { PlannedData, PlannedMemory, PlannedModel } from '../trainer/training-outlook.js'

/** Check of a training before it is started. */

export const TrainingCheckRequest = z
  .strictObject({
    config: z.record(z.string(), z.unknown()).meta({
      title: 'Training configuration; it can be incomplete or invalid, which the response then reports',
      examples: [{ data: { train_csv: 'train.csv' }, model: { vision_backbone: 'resnet18' } }],
    }),
    wait_seconds: z.number().min(0).max(60).default(1).meta({
      title:
        'Maximum time that the response waits for the trainer to read the tables. Reading continues after that, and a repeated request returns its result',
    }),
  })
  .meta({ id: 'TrainingCheckRequest' })
export type TrainingCheckRequest = z.infer<typeof TrainingCheckRequest>

/** Estimated duration, based on finished trainings on this machine. */
export const TimeEstimate = z
  .object({
    seconds: z.number().nullable().meta({ description: 'Null without comparable trainings' }),
    low_seconds: z.number().nullable(),
    high_seconds: z.number().nullable().meta({
      description: 'low, high: range of the comparable trainings',
    }),
    basis: z.enum(['same', 'similar']).nullable().meta({
      description:
        'same: trainings of the same model on the same table. similar: trainings with the same backbone and kind of fusion, scaled by cases, images and image size',
    }),
    jobs: z.array(z.uuid()).meta({ description: 'Trainings that the estimate is based on' }),
    reason: z.string().nullable().meta({ description: 'Reason why there is no estimate' }),
    reason_phrases: phrasesOf('reason'),
  })
  .meta({ id: 'TimeEstimate' })
export type TimeEstimate = z.infer<typeof TimeEstimate>

export const TRAINER_STATES = ['answered', 'working', 'failed', 'not_asked'] as const

export const TrainingCheck = z
  .object({
    ok: z.boolean().meta({
      description: 'Whether no problem was found that would reject the start or make the training fail',
    }),
    issues: z.array(ErrorIssue).meta({
      description:
        'All problems, with the remedy as hint. Problems of severity warning do not prevent a start',
    }),
    config: TrainingConfig.nullable().meta({
      description: 'Complete configuration with all defaults and absolute paths; null while a key is invalid',
    }),
    networks: z.int().nullable().meta({
      description:
        'Number of networks to train: members, and baselines that are networks; null while a key is invalid',
    }),
    trainer: z
      .object({
        state: z.enum(TRAINER_STATES).meta({
          description:
            'answered: data, model and memory are known, as far as the tables can be read. working: repeat the request. not_asked: the configuration is invalid, so no table was read',
        }),
        reason: z.string().nullable().meta({ description: 'Reason for the failure' }),
        reason_phrases: phrasesOf('reason'),
      })
      .meta({ description: 'State of the trainer that reads the tables' }),
    data: PlannedData.nullable().meta({ description: 'Column roles, and number of cases per split' }),
    model: PlannedModel.nullable(),
    memory: PlannedMemory.nullable(),
    time: TimeEstimate,
  })
  .meta({ id: 'TrainingCheck' })
export type TrainingCheck = z.infer<typeof TrainingCheck>
