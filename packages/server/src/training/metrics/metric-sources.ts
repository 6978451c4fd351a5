import type { TrainingRepository } from '../training.repository.js'
import type { MetricLevelsRepository } from './metric-levels.repository.js'
import type { MetricRollup } from './metric-rollup.js'
import type { RecentCurves } from './recent-curves.js'

/** Sources of the curves of jobs. */
export interface MetricSources {
  readonly repository: TrainingRepository
  readonly levels: MetricLevelsRepository
  readonly rollup: MetricRollup
  readonly recent: RecentCurves
}
