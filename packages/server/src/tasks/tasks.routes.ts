import type { HandlersOf } from '../http/bind.js'
import { resolveOwner } from '../people/resolve-owner.js'
import type { TasksService } from './tasks.service.js'

export function tasksRoutes(service: TasksService): HandlersOf<'tasks'> {
  return {
    listTasks: async ({ query, actor }) => {
      const { page_size, page_token, owner } = resolveOwner(actor, query)
      const { items, next_page_token } = await service.list(page_size, page_token, owner)
      return { tasks: items, next_page_token }
    },
    getTask: ({ params }) => service.get(params.task_id),
    cancelTask: ({ params }) => service.cancel(params.task_id),
  }
}
