import { parentPort } from 'node:worker_threads'
import { answer, type CaseRequest } from './answer.js'

/** Responds to one query after the other. */
parentPort?.on('message', async ({ id, request }: { id: number; request: CaseRequest }) => {
  try {
    parentPort?.postMessage({ id, found: await answer(request) })
  } catch (error) {
    parentPort?.postMessage({ id, error: (error as Error).message })
  }
})
