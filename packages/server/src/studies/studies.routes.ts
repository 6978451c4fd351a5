import type { HandlersOf } from '../http/bind.js'
import type { StudiesService } from './studies.service.js'
import type { StudyReader } from './study-reader.js'

export type StudyRoutes = HandlersOf<'studies'>

export function studiesRoutes(service: StudiesService, reader: StudyReader): StudyRoutes {
  return {
    startStudy: ({ body, remember, signal }) => service.start(body, remember, signal),
    checkStudy: ({ body, signal }) => service.check(body, signal),
    listStudies: ({ query }) => reader.list(query.page_size, query.page_token, query.status),
    getStudy: ({ params }) => reader.status(params.study_id),
    getStudyResults: ({ params }) => reader.results(params.study_id),
    deleteStudy: ({ params, query }) => service.remove(params.study_id, query.dry_run === 'true'),
    stopStudy: ({ params }) => service.stop(params.study_id),
    resumeStudy: ({ params, remember }) => service.resume(params.study_id, remember),
    getStudyReport: ({ params }) => reader.report(params.study_id, params.format),
    reportStudy: ({ params, body }) => service.report(params.study_id, body.formats),
  }
}
