import type { HandlersOf } from '../http/bind.js'
import type { TasksService } from './tasks.service.js'

export function tasksRoutes(service: TasksService): HandlersOf<'tasks'> {
  return {
    listTasks: async ({ query }) => {
      const { items, next_page_token } = await service.list(query.page_size, query.page_token)
      return { tasks: items, next_page_token }
    },
    getTask: ({ params }) => service.get(params.task_id),
    cancelTask: ({ params }) => service.cancel(params.task_id),
  }
}
