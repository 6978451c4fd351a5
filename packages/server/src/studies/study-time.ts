import { type TimeEstimate, type TrainingConfig, trainingOfStudy } from '@medloom/contracts'
import type { TrainingGateway } from '../training/training-gateway.js'
import type { PlannedStudy } from './study-plan.js'

/** Estimated duration of a study: the sum of its trainings, divided by the number that run in parallel. */
export async function studyTime(
  study: PlannedStudy,
  parallel: number,
  { estimate }: Pick<TrainingGateway, 'estimate'>,
): Promise<TimeEstimate> {
  const { config, trainings } = study
  const found: TimeEstimate[] = []
  const known = new Map<string, TimeEstimate>()
  for (const training of trainings) {
    const { variant, trial } = training
    const trained: TrainingConfig =
      trial === null ? trainingOfStudy(config, training) : { ...config.config, baselines: [] }
    const time = known.get(variant) ?? (await estimate(trained, study.casesOfTraining))
    known.set(variant, time)
    found.push(time)
  }
  const unknown = found.find(({ seconds }) => seconds === null)
  if (unknown) return unknown
  // If there are fewer trainings than slots, some slots stay free.
  const atATime = Math.max(1, Math.min(parallel, trainings.length))
  const total = (key: 'seconds' | 'low_seconds' | 'high_seconds') =>
    found.reduce((sum, time) => sum + (time[key] ?? 0), 0) / atATime
  return {
    seconds: total('seconds'),
    low_seconds: total('low_seconds'),
    high_seconds: total('high_seconds'),
    basis: found.every(({ basis }) => basis === 'same') ? 'same' : 'similar',
    jobs: [...new Set(found.flatMap(({ jobs }) => jobs))],
    reason: null,
  }
}
