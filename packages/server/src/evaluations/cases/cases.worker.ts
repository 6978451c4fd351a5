import { parentPort, workerData } from 'node:worker_threads'
import { handleRequest, type Request } from './handle-request.js'

/** Responds to one query after the other. */
parentPort?.on('message', async ({ id, request }: { id: number; request: Request }) => {
  try {
    parentPort?.postMessage({ id, found: await handleRequest(request, workerData) })
  } catch (error) {
    const { message, code, path, syscall } = error as NodeJS.ErrnoException
    parentPort?.postMessage({ id, error: { message, code, path, syscall } })
  }
})
