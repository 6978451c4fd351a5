import type { MetricSeries, ResourceSeries } from '@medloom/contracts'
import type { JobRecord } from './job-record.js'
import { type CurveRequest, metricSeries } from './metrics/metric-series.js'
import type { MetricSources } from './metrics/metric-sources.js'
import type { ResourceLevelsRepository } from './resources/resource-levels.repository.js'
import { type ResourceRequest, resourceSeries } from './resources/resource-series.js'

export interface JobCurvesOptions {
  /** @throws AppError JOB_NOT_FOUND */
  readonly find: (jobId: string) => Promise<JobRecord>
  readonly metrics: MetricSources
  readonly resources: ResourceLevelsRepository
}

/** Query parameters of the curve routes. */
type CurveQuery = Omit<CurveRequest, 'lineage'> & { readonly lineage: 'true' | 'false' }

/**
 * Curves of jobs, read by the process that aggregates them, so that levels and messages are consistent. @throws AppError JOB_NOT_FOUND for
 * an unknown job.
 */
export class JobCurves {
  constructor(readonly options: JobCurvesOptions) {}

  async metrics(jobId: string, { lineage, ...request }: CurveQuery): Promise<MetricSeries> {
    const { metrics } = this.options
    const query = { ...request, lineage: lineage === 'true' }
    return metricSeries(metrics, await this.options.find(jobId), query)
  }

  /** One after the other, so that many curves do not block other requests. */
  async metricsOf(jobIds: readonly string[], request: CurveQuery): Promise<{ curves: MetricSeries[] }> {
    const curves: MetricSeries[] = []
    for (const jobId of jobIds) curves.push(await this.metrics(jobId, request))
    return { curves }
  }

  async resources(jobId: string, request: ResourceRequest): Promise<ResourceSeries> {
    const { job_id } = await this.options.find(jobId)
    return resourceSeries(this.options.resources, job_id, request)
  }
}
