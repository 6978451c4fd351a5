import type { ServiceContext } from '../context.js'
import { tasksRoutes } from './tasks.routes.js'
import { TasksService } from './tasks.service.js'

export function createTasks(context: ServiceContext) {
  const service = new TasksService(context)
  return { routes: tasksRoutes(service), service }
}
