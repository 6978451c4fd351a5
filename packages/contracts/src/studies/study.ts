import { z } from 'zod'
import { JobError } from '../jobs/job.js'
import { JOB_STATUSES } from '../jobs/status.js'
import { TimeEstimate } from '../jobs/training-check.js'
import { owner } from '../people/users.js'
import { phrasesOf } from '../phrases/phrase.js'
import { REPORT_FORMATS } from '../report-formats.js'
import { Timestamp } from '../timestamp.js'
import { SearchSettings } from './search/search-config.js'
import { StudySearchStatus } from './search/search-status.js'
import { STUDY_PHASES, STUDY_STATUSES, STUDY_TRAINING_STATUSES } from './status.js'
import { StudyConfig } from './study-config.js'

const place = {
  variant: z.string(),
  seed: z.int(),
  repeat: z
    .int()
    .nullable()
    .meta({ description: 'Index of the division into folds; null without random folds' }),
  fold: z
    .union([z.int(), z.string()])
    .nullable()
    .meta({ description: 'Index of the fold that is held out, or the value of the column; null: no folds' }),
}

const trialOf = {
  trial: z
    .int()
    .nullable()
    .meta({ description: 'Index of the trial of the search, from 0; null: a variant of the study' }),
}

export const StudyProgress = z
  .object({
    total: z.int().meta({ description: 'Number of trainings of the study' }),
    completed: z.int(),
    pruned: z.int().meta({ description: 'Number of trials that were pruned' }),
    failed: z.int().meta({
      description: 'Number of trainings that failed, were stopped or were removed, and not yet repeated',
    }),
    running: z.int(),
    queued: z.int().meta({ description: 'Number of queued jobs' }),
    fraction: z.number().min(0).max(1).meta({ description: 'Share of completed epochs' }),
  })
  .meta({ id: 'StudyProgress' })
export type StudyProgress = z.infer<typeof StudyProgress>

/** Statistics of one metric of a variant over its trainings. */
export const StudyMetric = z
  .object({
    mean: z.number().nullable().meta({ description: 'Mean over the completed trainings' }),
    sd: z
      .number()
      .nullable()
      .meta({ description: 'Standard deviation over the completed trainings; null for fewer than two' }),
    estimate: z
      .number()
      .nullable()
      .meta({ description: 'Metric of the pooled held-out predictions; null until the study has ended' }),
    low: z.number().nullable().meta({ description: 'Lower limit of the 95% interval of the estimate' }),
    high: z.number().nullable(),
  })
  .meta({ id: 'StudyMetric' })
export type StudyMetric = z.infer<typeof StudyMetric>

export const StudyVariantResult = z
  .object({
    name: z.string(),
    kind: z
      .enum(['trained', 'baseline'])
      .meta({ description: 'Variants are trained; baselines are fitted with the trainings of a variant' }),
    description: z.string().nullable(),
    description_phrases: phrasesOf('description'),
    num_trainings: z.int(),
    num_completed: z.int(),
    num_cases: z
      .int()
      .nullable()
      .meta({ description: 'Number of held-out cases; null until the study has ended' }),
    metrics: z.record(z.string(), StudyMetric),
  })
  .meta({ id: 'StudyVariantResult' })
export type StudyVariantResult = z.infer<typeof StudyVariantResult>

export const StudyComparison = z
  .object({
    a: z.string(),
    b: z.string(),
    metric: z.string(),
    difference: z
      .object({ estimate: z.number().nullable(), low: z.number().nullable(), high: z.number().nullable() })
      .meta({ description: 'a minus b, with its 95% interval' }),
    p: z.number().nullable().meta({
      description: 'Two-sided p value, corrected for the number of comparisons unless correction is null',
    }),
    p_uncorrected: z.number().nullable(),
    test: z.string().nullable().meta({ description: 'Test of the interval and p' }),
    correction: z.string().nullable().meta({ description: 'Correction of p; null: not corrected' }),
  })
  .meta({ id: 'StudyComparison' })
export type StudyComparison = z.infer<typeof StudyComparison>

/** One training of a study. */
export const StudyJob = z
  .object({
    job_id: z.uuid().nullable().meta({ description: 'Job of the training; null until the job is created' }),
    ...place,
    ...trialOf,
    settings: SearchSettings.nullable().meta({
      description: 'Settings of a trial after it was created: configuration key → value',
    }),
    value: z.number().nullable().meta({
      description: 'Validation metric of a completed trial, by which the search selects',
    }),
    status: z.enum(STUDY_TRAINING_STATUSES),
    error: JobError.omit({ trace: true }).nullable(),
    attempts: z
      .array(z.object({ job_id: z.uuid(), status: z.enum(JOB_STATUSES), attempt: z.int() }))
      .meta({ description: 'Jobs of this training, oldest first, with their numbers of attempts' }),
  })
  .meta({ id: 'StudyJob' })
export type StudyJob = z.infer<typeof StudyJob>

const record = {
  study_id: z.uuid(),
  name: z.string(),
  status: z.enum(STUDY_STATUSES),
  phase: z.enum(STUDY_PHASES).nullable().meta({ description: 'Phase of a running study' }),
  progress: StudyProgress,
  metric: z.string().meta({ description: 'Primary metric of the comparison' }),
  reference: z.string().meta({ description: 'The variant that the others are compared with' }),
  report_path: z.string().nullable().meta({ description: 'HTML report; null until it is written' }),
  message: z.string().meta({ description: 'Summary of the outcome of the study' }),
  message_phrases: phrasesOf('message'),
  error: JobError.omit({ trace: true }).nullable(),
  owner,
  created_at: Timestamp,
  ended_at: Timestamp.nullable(),
}

/** Response of the status endpoint. While trainings run, the metrics are means over the completed ones. */
export const Study = z
  .object({
    ...record,
    variants: z.array(StudyVariantResult),
    comparisons: z.array(StudyComparison).meta({ description: 'Empty until the study has ended' }),
    search: StudySearchStatus.nullable().meta({ description: 'Null without a search' }),
    jobs: z.array(StudyJob),
    results_path: z
      .string()
      .nullable()
      .meta({ description: 'results.json with the complete statistics; null until the study has ended' }),
    config: StudyConfig,
  })
  .meta({ id: 'Study' })
export type Study = z.infer<typeof Study>

/** A study in lists. */
export const StudySummary = z.object(record).meta({ id: 'StudySummary' })
export type StudySummary = z.infer<typeof StudySummary>

export const StudyResponse = z
  .object({ study_id: z.uuid(), status: z.enum(STUDY_STATUSES), message: z.string() })
  .meta({ id: 'StudyResponse' })
export type StudyResponse = z.infer<typeof StudyResponse>

/** Planned trainings of a study. */
export const StudyPlan = z
  .object({
    num_trainings: z.int(),
    num_networks: z.int().meta({
      description:
        'Number of networks to train, including ensemble members and the baselines image_only and table_only; a trial of a search is counted like its base configuration',
    }),
    metric: z.string(),
    reference: z.string(),
    parallel: z.int().meta({ description: 'Maximum number of trainings at the same time' }),
    time: TimeEstimate.meta({
      description:
        'Estimated time of the whole study from similar earlier trainings; a trial of a search is counted like its base configuration',
    }),
    trainings: z.array(z.object({ ...place, ...trialOf })),
  })
  .meta({ id: 'StudyPlan' })
export type StudyPlan = z.infer<typeof StudyPlan>

export const StudyReportRequest = z
  .strictObject({
    formats: z
      .array(z.enum(REPORT_FORMATS))
      .min(1)
      .default(['html', 'markdown', 'pdf'])
      .meta({ title: 'Formats of the report' }),
  })
  .meta({ id: 'StudyReportRequest' })

export const StudyReport = z
  .object({
    study_id: z.uuid(),
    files: z.array(z.object({ format: z.enum(REPORT_FORMATS), path: z.string() })),
  })
  .meta({ id: 'StudyReport' })
export type StudyReport = z.infer<typeof StudyReport>
