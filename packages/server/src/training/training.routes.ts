import type { Removal } from '@medloom/contracts'
import type { HandlersOf } from '../http/bind.js'
import type { RouteOfAny } from '../http/route-processes.js'
import { resolveOwner } from '../people/resolve-owner.js'
import type { TrainingChecks } from './check/training-check.js'
import type { JobControl } from './job-control.js'
import type { JobCurves } from './job-curves.js'
import type { JobReader } from './job-reader.js'
import type { TrainingService } from './training.service.js'

export type TrainingRoutes = HandlersOf<'training'>
export type JobRoutes = Pick<TrainingRoutes, RouteOfAny & keyof TrainingRoutes>

/** Routes that every process has: it reads jobs, and accepts them. */
export function jobRoutes({
  service,
  reader,
}: {
  readonly service: TrainingService
  readonly reader: JobReader
}): JobRoutes {
  return {
    startTraining: {
      atomically: ({ body, actor, remember }) => service.start({ ...body, owner: actor.user }, remember),
    },
    listJobs: ({ query, actor }) => reader.list(resolveOwner(actor, query)),
    listJobTags: () => reader.tags(),
    getJobStatus: ({ params }) => reader.status(params.job_id),
    editJob: ({ params, body }) => service.edit(params.job_id, body),
    resumeJob: {
      atomically: ({ params, body, actor, remember }) =>
        service.resume(params.job_id, remember, { checkpoint: body.checkpoint, owner: actor.user }),
    },
    getJobLogs: ({ params, query }) => reader.logs(params.job_id, query),
    findInJobLogs: ({ params, query }) =>
      reader.findInLogs(params.job_id, { ...query, ignore_case: query.ignore_case === 'true' }),
    listJobEvents: ({ params, query }) => reader.events(params.job_id, query.since, query.limit),
    listJobCheckpoints: ({ params, query }) =>
      reader.checkpoints(params.job_id, query.page_size, query.page_token),
    listJobFiles: ({ params, query }) => reader.files(params.job_id, query),
    getJobFile: ({ params, query }) => reader.file(params.job_id, params.path, query),
  }
}

/** Routes that only the process has that follows the trainers. */
export function jobControlRoutes({
  control,
  checks,
  curves,
  remove,
}: {
  readonly control: JobControl
  readonly checks: TrainingChecks
  readonly curves: JobCurves
  readonly remove: (jobId: string, dryRun: boolean) => Promise<Removal>
}): Omit<TrainingRoutes, keyof JobRoutes> {
  return {
    checkTraining: ({ body, actor, signal }) => checks.check(body, actor.user, signal),
    deleteJob: ({ params, query }) => remove(params.job_id, query.dry_run === 'true'),
    stopJob: ({ params }) => control.stop(params.job_id),
    finishJob: ({ params }) => control.finish(params.job_id),
    getJobMetrics: ({ params, query }) => curves.metrics(params.job_id, query),
    listJobMetrics: ({ query: { jobs, ...request } }) => curves.metricsOf(jobs, request),
    getJobResources: ({ params, query }) => curves.resources(params.job_id, query),
  }
}
