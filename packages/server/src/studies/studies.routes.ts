import type { HandlersOf } from '../http/bind.js'
import type { RouteOfAny } from '../http/route-processes.js'
import { resolveOwner } from '../people/resolve-owner.js'
import type { StudiesService } from './studies.service.js'
import type { StudyReader } from './study-reader.js'

export type StudyRoutes = HandlersOf<'studies'>
export type StudyReadRoutes = Pick<StudyRoutes, RouteOfAny & keyof StudyRoutes>

/** Routes of every process. */
export function studyReadRoutes(reader: StudyReader): StudyReadRoutes {
  return {
    listStudies: ({ query, actor }) =>
      reader.list(query.page_size, query.page_token, resolveOwner(actor, query)),
    getStudy: ({ params }) => reader.status(params.study_id),
    getStudyResults: ({ params }) => reader.results(params.study_id),
    getStudyReport: ({ params }) => reader.report(params.study_id, params.format),
  }
}

/** Routes of the process that runs studies. */
export function studyControlRoutes(service: StudiesService): Omit<StudyRoutes, keyof StudyReadRoutes> {
  return {
    startStudy: ({ body, actor, remember, signal }) => service.start(body, actor.user, remember, signal),
    checkStudy: ({ body, signal }) => service.check(body, signal),
    deleteStudy: ({ params, query }) => service.remove(params.study_id, query.dry_run === 'true'),
    stopStudy: ({ params }) => service.stop(params.study_id),
    resumeStudy: ({ params, remember }) => service.resume(params.study_id, remember),
    reportStudy: ({ params, body }) => service.report(params.study_id, body.formats),
  }
}
