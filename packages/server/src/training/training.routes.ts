import type { HandlersOf } from '../http/bind.js'
import type { TrainingService } from './training.service.js'

export type TrainingRoutes = HandlersOf<'training'>

export function trainingRoutes(service: TrainingService): TrainingRoutes {
  return {
    startTraining: ({ body, remember }) => service.start(body.config, body.job_name, remember),
    listJobs: ({ query }) => service.list(query.page_size, query.page_token, query.status),
    getJobStatus: ({ params }) => service.status(params.job_id),
    stopJob: ({ params }) => service.stop(params.job_id),
    finishJob: ({ params }) => service.finish(params.job_id),
    resumeJob: ({ params, remember }) => service.resume(params.job_id, remember),
    getJobLogs: ({ params, query }) => service.logs(params.job_id, query.offset, query.limit),
    getJobMetrics: ({ params, query }) => service.metrics(params.job_id, query.buckets),
    listJobEvents: ({ params, query }) => service.events(params.job_id, query.since, query.limit),
    listJobCheckpoints: ({ params }) => service.checkpoints(params.job_id),
  }
}
