import { parentPort, workerData } from 'node:worker_threads'
import { answer, type Request } from './answer.js'

/** Responds to one query after the other. */
parentPort?.on('message', async ({ id, request }: { id: number; request: Request }) => {
  try {
    parentPort?.postMessage({ id, found: await answer(request, workerData) })
  } catch (error) {
    parentPort?.postMessage({ id, error: (error as Error).message })
  }
})
