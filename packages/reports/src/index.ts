export type { RenderedReport } from './compose/run-report.js'
export type { RunSummary } from './compose/summary.js'
export type {
  ComparisonReportInput,
  EpochRecord,
  EvaluationRecord,
  ReportInput,
  StudyReportInput,
  WorkflowReportInput,
} from './report-input.js'
export { renderInThread } from './thread/render-in-thread.js'
