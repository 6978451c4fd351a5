import { isDeepStrictEqual } from 'node:util'
import {
  ABLATIONS,
  chosenBaselines,
  fieldsOf,
  networksOf,
  type Phrase,
  phrase,
  type TimeEstimate,
  type TrainingConfig,
  textOf,
} from '@medloom/contracts'
import type { EarlierTraining, EarlierTrainingsRepository } from './earlier-trainings.repository.js'

const MOST_USED = 5

/** Estimates the duration of trainings from those that ended in this service. */
export class TimeEstimates {
  constructor(private readonly earlier: Pick<EarlierTrainingsRepository, 'like'>) {}

  /** @param cases training cases; null while the number is not known */
  async estimate(config: TrainingConfig, cases: number | null): Promise<TimeEstimate> {
    return estimateTime(config, cases, await this.earlier.like(config))
  }
}

/**
 * The duration of an epoch is scaled by the number of cases and, if images are read, by their number and size. The time outside of the
 * epochs (reading the data, baselines, the report) is taken unchanged, or scaled in the same way if baselines are networks.
 */
export function estimateTime(
  config: TrainingConfig,
  cases: number | null,
  earlier: readonly EarlierTraining[],
): TimeEstimate {
  const same = earlier.filter((training) => isSame(training.config, config))
  const comparable = (same.length > 0 ? same : cases === null ? [] : earlier).slice(0, MOST_USED)
  const found = comparable.map((training) => secondsLike(training, config, cases)).sort((a, b) => a - b)
  const seconds = median(found)
  if (seconds === null) return noEstimate(reasonOf(config, cases, earlier))
  return {
    seconds,
    low_seconds: found[0] ?? seconds,
    high_seconds: found.at(-1) ?? seconds,
    basis: same.length > 0 ? 'same' : 'similar',
    jobs: comparable.map(({ job_id }) => job_id),
    reason: null,
  }
}

export function noEstimate(reason: Phrase): TimeEstimate {
  const unknown = { seconds: null, low_seconds: null, high_seconds: null, basis: null, jobs: [] }
  return { ...unknown, ...fieldsOf('reason', textOf(reason)) }
}

function reasonOf({ model }: TrainingConfig, cases: number | null, earlier: readonly EarlierTraining[]) {
  return cases === null && earlier.length > 0
    ? phrase('training_cases_unknown')
    : phrase('no_comparable_training', { backbone: model.vision_backbone, fusion: model.fusion_type })
}

function secondsLike(training: EarlierTraining, config: TrainingConfig, cases: number | null): number {
  const then = training.prepared.splits.train?.cases ?? 1
  const ofVolumes = Boolean(training.prepared.volumes)
  const scale = effort(config, cases ?? then, ofVolumes) / effort(training.config, then, ofVolumes)
  const around = Math.max(0, training.seconds - training.epochs * training.epochSeconds)
  const baselines = chosenBaselines(training.config)
  const networks = ABLATIONS.some((name) => baselines.includes(name))
  const longer = networks ? (scale * config.training.epochs) / training.epochs : 1
  return around * longer + config.training.epochs * training.epochSeconds * scale
}

/** Cost of an epoch, in a unit that only trainings with the same backbone and kind of fusion share. */
function effort(config: TrainingConfig, cases: number, ofVolumes: boolean): number {
  const { data, model } = config
  if (model.vision_backbone === 'none') return cases * networksOf({ ...config, baselines: [] })
  const [width, height] = data.image_size
  return cases * width * height * (ofVolumes ? data.slices.count : 1)
}

function isSame(one: TrainingConfig, other: TrainingConfig): boolean {
  const comparable = (config: TrainingConfig) => {
    const { data, model, training } = config
    return [
      { ...model, members: null },
      networksOf(config),
      [data.train_csv, data.image_size, data.slices, data.augmentation],
      [training.batch_size, training.device, training.mixed_precision, training.optimizer],
    ]
  }
  return isDeepStrictEqual(comparable(one), comparable(other))
}

function median(sorted: readonly number[]): number | null {
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
