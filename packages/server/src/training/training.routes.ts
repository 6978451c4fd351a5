import type { Removal } from '@medloom/contracts'
import type { HandlersOf } from '../http/bind.js'
import type { TrainingChecks } from './check/training-check.js'
import type { JobReader } from './job-reader.js'
import type { TrainingService } from './training.service.js'

export type TrainingRoutes = HandlersOf<'training'>

export function trainingRoutes(
  service: TrainingService,
  reader: JobReader,
  checks: TrainingChecks,
  remove: (jobId: string, dryRun: boolean) => Promise<Removal>,
): TrainingRoutes {
  return {
    startTraining: ({ body, remember }) => service.start(body.config, body.job_name, remember),
    checkTraining: ({ body, signal }) => checks.check(body, signal),
    listJobs: ({ query }) => reader.list(query),
    listJobTags: () => reader.tags(),
    getJobStatus: ({ params }) => reader.status(params.job_id),
    editJob: ({ params, body }) => service.edit(params.job_id, body),
    deleteJob: ({ params, query }) => remove(params.job_id, query.dry_run === 'true'),
    stopJob: ({ params }) => service.stop(params.job_id),
    finishJob: ({ params }) => service.finish(params.job_id),
    resumeJob: ({ params, body, remember }) =>
      service.resume(params.job_id, remember, { checkpoint: body.checkpoint }),
    getJobLogs: ({ params, query }) => reader.logs(params.job_id, query),
    findInJobLogs: ({ params, query }) =>
      reader.findInLogs(params.job_id, { ...query, ignore_case: query.ignore_case === 'true' }),
    getJobMetrics: ({ params, query }) => reader.metrics(params.job_id, query),
    listJobMetrics: ({ query: { jobs, ...request } }) => reader.metricsOf(jobs, request),
    getJobResources: ({ params, query }) => reader.resources(params.job_id, query),
    listJobEvents: ({ params, query }) => reader.events(params.job_id, query.since, query.limit),
    listJobCheckpoints: ({ params }) => reader.checkpoints(params.job_id),
    listJobFiles: ({ params, query }) => reader.files(params.job_id, query),
    getJobFile: ({ params, query }) => reader.file(params.job_id, params.path, query),
  }
}
