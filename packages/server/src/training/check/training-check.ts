import {
  type ErrorIssue,
  messageOf,
  networksOf,
  phrase,
  type TrainingCheck,
  type TrainingCheckRequest,
  type TrainingConfig,
  type TrainingOutlook,
} from '@medloom/contracts'
import { noEstimate, type TimeEstimates } from '../estimate/time-estimates.js'
import { findIssues, type IssueOptions, withRemedy } from './find-issues.js'
import type { TrainerAnswers } from './trainer-answers.js'

export interface TrainingChecksOptions extends IssueOptions {
  readonly answers: Pick<TrainerAnswers, 'request'>
  readonly estimates: Pick<TimeEstimates, 'estimate'>
  /** True if trainings run on this machine, so that its trainer knows their devices. */
  readonly trainsHere: boolean
}

/** Describes a training in advance. Nothing is started or written. */
export class TrainingChecks {
  constructor(private readonly options: TrainingChecksOptions) {}

  /** @param owner the user who would own the job */
  async check(
    request: TrainingCheckRequest,
    owner: string | null,
    signal: AbortSignal,
  ): Promise<TrainingCheck> {
    const { issues, config } = await findIssues(request.config, owner, this.options)
    if (config === null) return refused(issues)
    const { trainer, outlook } = await this.options.answers.request(config, request.wait_seconds, signal)
    const all = [...issues, ...issuesOfTrainer(config, outlook, this.options)]
    return {
      ok: all.every(({ severity }) => severity === 'warning'),
      issues: all,
      config,
      networks: networksOf(config),
      trainer,
      data: outlook?.data ?? null,
      model: outlook?.model ?? null,
      memory: outlook?.memory ?? null,
      time: await this.options.estimates.estimate(config, outlook?.data?.splits.train?.cases ?? null),
    }
  }
}

function refused(issues: ErrorIssue[]): TrainingCheck {
  return {
    ok: false,
    issues,
    config: null,
    networks: null,
    trainer: { state: 'not_asked', reason: null },
    data: null,
    model: null,
    memory: null,
    time: noEstimate(phrase('configuration_incomplete')),
  }
}

/** The configuration key for each error code of the trainer; for other codes, the training table. */
const PLACES: Readonly<Record<string, string>> = {
  BATCH_TOO_LARGE: 'training.batch_size',
  CHECKPOINT_CORRUPT: 'model.fine_tune_from',
  CHECKPOINT_MISMATCH: 'model.fine_tune_from',
  CHECKPOINT_NOT_FOUND: 'model.fine_tune_from',
  DATASET_LEAK: 'data.allow_leakage',
  DEVICE_UNAVAILABLE: 'training.device',
  FOLDS_IMPOSSIBLE: 'data.fold',
  IMAGES_UNREADABLE: 'data.image_root',
  INVALID_CONFIG: '',
  LABEL_INVALID: 'data.label_column',
  LABEL_NOT_FOUND: 'data.label_column',
  MODEL_TOO_LARGE: 'model.hidden_dim',
  WEIGHTS_UNAVAILABLE: 'model.pretrained',
}

function placeOf(code: string, { data }: TrainingConfig): string {
  const labels = data.time_column === null ? data.label_columns && 'data.label_columns' : 'data.time_column'
  if (code === 'LABEL_INVALID' && labels) return labels
  return PLACES[code] ?? 'data.train_csv'
}

function issuesOfTrainer(
  config: TrainingConfig,
  outlook: TrainingOutlook | null,
  { trainsHere }: Pick<TrainingChecksOptions, 'trainsHere'>,
): ErrorIssue[] {
  if (!outlook) return []
  const issues = outlook.issues.filter(({ code }) => trainsHere || code !== 'DEVICE_UNAVAILABLE')
  const found = issues.map(
    ({ code, message, message_phrases, details, details_phrases }): ErrorIssue =>
      withRemedy({
        path: ['config', placeOf(code, config)].filter((part) => part !== '').join('.'),
        code: code as ErrorIssue['code'],
        message,
        message_phrases,
        hint: details,
        hint_phrases: details_phrases,
      }),
  )
  const { memory } = outlook
  if (trainsHere && memory && memory.available_bytes !== null && memory.bytes > memory.available_bytes)
    found.push({
      ...withRemedy({
        path: 'config.training.batch_size',
        code: 'OUT_OF_MEMORY',
        ...messageOf(
          phrase('batch_needs_memory', {
            cases: [phrase('cases', { count: config.training.batch_size })],
            needed: gib(memory.bytes),
            device: memory.device,
            available: gib(memory.available_bytes),
          }),
        ),
      }),
      severity: 'warning',
    })
  return found
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`
}
