import { parentPort, workerData } from 'node:worker_threads'
import { renderReport } from './render.js'
import type { ReportInput } from './report-input.js'

/** The thread in which a report is drawn: one report, then it ends. */
parentPort?.postMessage(renderReport(workerData as ReportInput))
