import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type RenderedReport, renderReport } from './render.js'
import type { ReportInput } from './report-input.js'

const BUILT = new URL('./render.worker.js', import.meta.url)

/**
 * Draws a report in a thread of its own, so that the service answers meanwhile. Run from sources (development, unit tests) there
 * is no compiled thread to start, and the report is drawn in place.
 */
export function renderAside(input: ReportInput, thread: URL = BUILT): Promise<RenderedReport> {
  if (!existsSync(thread)) return Promise.resolve().then(() => renderReport(input))
  return new Promise((resolve, reject) => {
    const worker = new Worker(thread, {
      workerData: input,
      // The compiled thread needs none of the flags of this process, such as those that run it from sources.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the report thread ended with ${code} and no report`)))
  })
}
