import type { TrainingRepository } from '../training.repository.js'
import type { MetricFolder } from './metric-folder.js'
import type { MetricLevelsRepository } from './metric-levels.repository.js'
import type { RecentCurves } from './recent-curves.js'

/** Sources of the curves of jobs. */
export interface MetricSources {
  readonly repository: TrainingRepository
  readonly levels: MetricLevelsRepository
  readonly folder: MetricFolder
  readonly recent: RecentCurves
}
