import type { ServiceContext } from '../context.js'
import { followUpsRoutes } from './follow-ups.routes.js'
import { type FollowUpParts, FollowUpsService } from './follow-ups.service.js'

export function createFollowUps(context: ServiceContext, parts: FollowUpParts) {
  return { routes: followUpsRoutes(new FollowUpsService(context, parts)) }
}
