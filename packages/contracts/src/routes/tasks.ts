import { z } from 'zod'
import { ownerQuery } from '../people/users.js'
import { BackgroundTask, TaskSummary } from '../tasks.js'
import { listOf, page, type RouteDeclaration } from './declaration.js'

const taskId = z.object({ task_id: z.string() })

/** Background tasks, started with `wait=false`. */
export const TASK_ROUTES = {
  listTasks: {
    method: 'GET',
    path: '/api/tasks',
    tag: 'tasks',
    access: 'read',
    owned: false,
    summary: 'List the tasks, newest first, without their results',
    query: z.object({ ...page, ...ownerQuery }),
    response: listOf('tasks', TaskSummary),
  },
  getTask: {
    method: 'GET',
    path: '/api/tasks/{task_id}',
    tag: 'tasks',
    access: 'read',
    owned: false,
    summary: 'Get the state, progress and result of a task',
    params: taskId,
    response: BackgroundTask,
    errors: ['TASK_NOT_FOUND'],
  },
  cancelTask: {
    method: 'POST',
    path: '/api/tasks/{task_id}/cancel',
    tag: 'tasks',
    access: 'run',
    changes: true,
    owned: 'task',
    summary:
      'Cancel a task; the response is sent when the task has stopped. A task that has ended is not changed',
    params: taskId,
    response: BackgroundTask,
    errors: ['TASK_NOT_FOUND'],
  },
} as const satisfies Record<string, RouteDeclaration>
