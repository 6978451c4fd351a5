import type { HandlersOf } from '../http/bind.js'
import type { FollowUpsService } from './follow-ups.service.js'

export function followUpsRoutes(service: FollowUpsService): HandlersOf<'follow-ups'> {
  return {
    createFollowUp: ({ body, actor }) => service.create(body, actor.user),
    listFollowUps: async ({ query }) => {
      const { page_size, page_token, model_id } = query
      const { items, next_page_token } = await service.list(page_size, page_token, model_id)
      return { follow_ups: items, next_page_token }
    },
    getFollowUp: ({ params, signal }) => service.get(params.follow_up_id, signal),
    addOutcomes: ({ params, body, signal }) => service.addOutcomes(params.follow_up_id, body, signal),
    evaluateFollowUp: ({ params, signal }) => service.evaluate(params.follow_up_id, signal),
    getFollowUpEvaluation: ({ params, actor }) => service.evaluation(params.follow_up_id, actor),
    closeFollowUp: ({ params }) => service.close(params.follow_up_id),
    deleteFollowUp: ({ params, query }) => service.remove(params.follow_up_id, query.dry_run === 'true'),
  }
}
