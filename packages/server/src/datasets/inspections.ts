import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Inspection, type InspectRequest, phrase } from '@medloom/contracts'
import type { z } from 'zod'
import { AppError } from '../errors.js'
import type { TasksService } from '../tasks/tasks.service.js'
import { filesOf } from './file-state.js'

/** Results of inspection tasks that a registration may use directly. */
export class Inspections {
  constructor(private readonly tasks: Pick<TasksService, 'get'>) {}

  /**
   * Null: the table has changed since, so the data must be inspected again.
   * @throws AppError TASK_NOT_FOUND if it is not a completed inspection of this request.
   */
  async found(taskId: string, request: z.output<typeof InspectRequest>): Promise<Inspection | null> {
    const { route, state, created_at, result, ...task } = await this.tasks.get(taskId)
    const isOfRequest = route === 'inspectDataset' && isDeepStrictEqual(task.request, request)
    if (!isOfRequest || state !== 'completed')
      throw new AppError('TASK_NOT_FOUND', phrase('inspection_unknown'))
    const inspection = result as Inspection
    return (await lastChange(inspection.path)) < Date.parse(created_at) ? inspection : null
  }
}

/** The latest change of a path and of the inspected files in it, in milliseconds; infinite if one does not exist. */
async function lastChange(path: string): Promise<number> {
  const times = [path, ...(await filesOf(path))].map(async (file) => {
    const found = await stat(file).catch(() => null)
    return found?.mtimeMs ?? Number.POSITIVE_INFINITY
  })
  return Math.max(...(await Promise.all(times)))
}
