import { phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'
import type { TaskPool } from '../ports/task-pool.js'

/** A part that only the controller has: an API process binds no route that uses it, so any use is a defect. */
export function controllerOnly<Part extends object>(name: string): Part {
  return new Proxy({} as Part, {
    get(_, key) {
      throw new Error(`an API process has no ${name} (${String(key)} was requested)`)
    },
    ownKeys: () => [],
  })
}

/** Python runs only with the controller. */
export const NO_WORKERS: TaskPool = {
  run: async () => {
    throw new AppError('PYTHON_UNAVAILABLE', phrase('python_in_controller'), phrase('send_to_controller'))
  },
  problem: () => null,
  onClusterSize: () => undefined,
  close: async () => undefined,
}
