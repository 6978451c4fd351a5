import { HELD_OUT } from '@medloom/contracts'
import type { ReportDocument, Section } from '../document/document.js'
import { formatTime } from '../document/numbers.js'
import { writeHtml } from '../renderers/html/html.js'
import { writeMarkdown } from '../renderers/markdown/markdown.js'
import { type ReportInput, subjectResult } from '../report-input.js'
import { baselineSection } from '../sections/baselines.js'
import { checklistSection, limitationSection } from '../sections/closing.js'
import { dataSection } from '../sections/data/data.js'
import { ensembleSection } from '../sections/ensemble.js'
import { importanceSection } from '../sections/explanation/importance.js'
import { failureSection } from '../sections/failure-cases.js'
import { learningSection } from '../sections/figures/learning-figures.js'
import { performanceFigures } from '../sections/figures/performance-figures.js'
import { followUpSection } from '../sections/figures/survival-figures.js'
import { configurationSection, methodSection, trainingSection } from '../sections/method.js'
import { evaluationsSection, notices, overview } from '../sections/overview.js'
import { performanceSection, subgroupSection } from '../sections/performance.js'
import { provenanceSection } from '../sections/provenance.js'
import { purposeSection } from '../sections/purpose.js'
import { transportSection } from '../sections/transport.js'
import { useSection } from '../sections/use/use.js'
import { warningSection } from '../sections/warnings.js'
import { type RunSummary, runSummary } from './summary.js'
import { inputOfTask } from './task-metrics.js'

export interface RenderedReport {
  readonly html: string
  readonly markdown: string
  readonly summary: RunSummary
  /** Files in the artifacts folder. */
  readonly charts: readonly { readonly file: string; readonly svg: string }[]
}

/** Plain data in, files as text out: it reads no clock and no disk, and the same input produces the same bytes. */
export function renderReport(input: ReportInput): RenderedReport {
  const document = composeReport(input)
  return {
    html: writeHtml(document),
    markdown: writeMarkdown(document, chartFolder(input)),
    summary: runSummary(input),
    charts: chartFiles(document),
  }
}

/** Relative path from a report to the folder of its charts. */
export function chartFolder({ subject }: ReportInput): string {
  return subject ? '../../artifacts/' : '../artifacts/'
}

/** Charts of a report as files. */
export function chartFiles({ sections }: ReportDocument): RenderedReport['charts'] {
  return sections
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.kind === 'figures' ? block.figures : []))
    .map(({ chart }) => ({ file: `${chart.name}.svg`, svg: chart.standalone }))
}

export function composeReport(given: ReportInput): ReportDocument {
  const input = inputOfTask(given)
  const { job, subject, texts } = input
  const result = subjectResult(input)
  // Evaluations share the artifacts folder of their run; the figures of the run itself have separate names.
  const own = input.heldOut ? `${HELD_OUT}-` : 'validation-'
  const prefix = subject ? `evaluation-${fileName(subject.evaluation_id)}-` : own
  const about = { job, result, ofTraining: subject === null, texts }
  const study = texts.study_title ?? job.job_name
  const sections: (Section | null)[] = [
    // The data of an ensemble are not checked again: each member was checked in its own training.
    warningSection(job.ensemble ? null : job.prepared, result),
    result && followUpSection(result),
    result && performanceSection(result, result === input.validation ? null : input.validation),
    result && baselineSection(result),
    result && performanceFigures(result, prefix),
    result && useSection(result, prefix),
    result && subgroupSection(result),
    result && transportSection(result),
    result && importanceSection(result, prefix),
    result && failureSection(result, input.failureImages),
    evaluationsSection(input),
    ensembleSection(job),
    dataSection(about),
    ...(job.ensemble ? [] : [methodSection(input), trainingSection(input), learningSection(input)]),
    limitationSection(about),
    purposeSection(texts),
    checklistSection(input),
    provenanceSection(input),
    configurationSection(input),
  ]
  return {
    title: subject ? `${study}: evaluation on the ${subject.result.split} split` : study,
    kicker: subject ? 'Evaluation report' : job.ensemble ? 'Ensemble report' : 'Training report',
    ...(texts.authors ? { byline: texts.authors } : {}),
    summary: overview(input),
    notices: notices(input),
    sections: sections.filter((section): section is Section => section !== null),
    footer: `Written by Medloom from the files of job ${job.job_id}, created ${formatTime(job.created_at)}. Every number is read from those files; "–" marks a missing value. For research use only, not a medical device.`,
  }
}

function fileName(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9-]/g, '-')
}
