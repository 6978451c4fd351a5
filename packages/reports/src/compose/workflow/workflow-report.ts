import { isOfTask } from '@medloom/contracts'
import type { Fact, Notice, ReportDocument, Section } from '../../document/document.js'
import { countOf, DASH, formatCount } from '../../document/numbers.js'
import type { WorkflowReportInput } from '../../report-input.js'
import { leakNotices, metricFacts, REPEATED_EVALUATION } from '../../sections/overview.js'
import { softwareTable } from '../../sections/software.js'
import { historyOfTask, resultOfTask } from '../task-metrics.js'
import { withHeadline } from './headline.js'
import { SHORT } from './short-template.js'
import { STANDARD } from './standard-template.js'
import type { SectionName, Template } from './template.js'

/** Report of a workflow, independent of the format. The template defines the order of the sections: results first, methods last. */
export function composeWorkflowReport(given: WorkflowReportInput): ReportDocument {
  const input = ofItsTask({ ...given, evaluation: withHeadline(given) })
  const { evaluation, training, template, texts, include_sections: wanted } = input
  const brief = template === 'short'
  const parts = Object.entries(brief ? SHORT : STANDARD) as [SectionName, Template[SectionName]][]
  const sections = parts.filter(([name]) => wanted.includes(name)).flatMap(([, write]) => write(input))
  return {
    title: `${studyOf(input)}: evaluation on the ${evaluation.split} split`,
    kicker: 'Workflow report',
    ...(texts.authors ? { byline: texts.authors } : {}),
    summary: wanted.includes('summary') ? overview(input) : [],
    notices: notices(input),
    sections: [...sections, brief ? null : provenance(input)].filter((section) => section !== null),
    footer: `Written by Medloom. ${training ? `Trained by job ${training.job.job_id}. ` : ''}SHA-256 of the checkpoint: ${evaluation.source.checkpoint_digest}; of table and images: ${evaluation.source.digest}. Every number is read from the files of the run; "–" marks a missing value. For research use only, not a medical device.`,
    brief,
  }
}

/** Title set by the authors; otherwise the name of the workflow or of the training job, or a general one. */
function studyOf({ texts, workflowName, training }: WorkflowReportInput): string {
  return texts.study_title ?? ([workflowName.trim(), training?.job.job_name].find(Boolean) || 'Workflow')
}

function ofItsTask(input: WorkflowReportInput): WorkflowReportInput {
  const { evaluation, training, headline } = input
  const { task } = evaluation
  const history = training && historyOfTask(task, training.history)
  return {
    ...input,
    evaluation: resultOfTask(evaluation),
    headline: Object.fromEntries(Object.entries(headline).filter(([key]) => isOfTask(task, key))),
    training: training &&
      history && {
        ...training,
        history,
        validation: training.validation && resultOfTask(training.validation),
      },
  }
}

function overview({ evaluation, training, headline }: WorkflowReportInput): Fact[] {
  const { num_cases, num_patients, split, task, classes } = evaluation
  const model = training?.job.config.model
  const chosen = Object.keys(headline)
  const shown = chosen.length > 0 ? chosen : Object.keys(evaluation.metrics)
  return [
    {
      term: 'Task',
      value: task,
      ...(classes ? { note: `${classes.length} ${classes.length === 1 ? 'class' : 'classes'}` } : {}),
    },
    {
      term: 'Model',
      value: training?.job.model_id ?? DASH,
      ...(model ? { note: `${model.vision_backbone} + ${model.fusion_type}` } : {}),
    },
    {
      term: `Cases, ${split} split`,
      value: formatCount(num_cases),
      ...(num_patients === null ? {} : { note: countOf(num_patients, 'patient') }),
    },
    ...metricFacts(evaluation, shown.slice(0, 5)),
  ]
}

function notices({ evaluation, training, evaluationCounts }: WorkflowReportInput): Notice[] {
  const found = leakNotices(training?.job ?? null, evaluation)
  const seen = training?.validation
  if (evaluation.split !== 'test' && seen?.source.digest === evaluation.source.digest)
    found.push({
      kind: 'notice',
      tone: 'warning',
      title: 'Validation results, not test results.',
      text: 'The best epoch was chosen on these cases, so the results are optimistic.',
    })
  if (evaluation.split === 'test' && evaluationCounts && evaluationCounts.test > 1)
    found.push({
      kind: 'notice',
      tone: 'warning',
      title: `This model was evaluated ${formatCount(evaluationCounts.test)} times on test data, of which ${formatCount(evaluationCounts.split)} on this split.`,
      text: REPEATED_EVALUATION,
    })
  for (const text of training?.unreadable ?? [])
    found.push({ kind: 'notice', tone: 'warning', title: 'A file of the run could not be read.', text })
  return found
}

/** Provenance of every number: job, checkpoint and data. */
function provenance({ evaluation, training, evaluationCounts }: WorkflowReportInput): Section {
  const { source, software } = evaluation
  const items: Fact[] = [
    { term: 'Job', value: training?.job.job_id ?? DASH },
    { term: 'Checkpoint', value: source.checkpoint, note: `SHA-256 ${source.checkpoint_digest}` },
    {
      term: 'Evaluations of this split',
      value: formatCount(evaluationCounts?.split),
      note: 'of this model, until this report was written',
    },
    {
      term: 'Evaluations on any test data',
      value: formatCount(evaluationCounts?.test),
      note: 'of this model',
    },
    { term: 'Evaluated table', value: source.csv, note: `SHA-256 of table and images ${source.digest}` },
    ...Object.entries(training?.job.prepared?.data_digests ?? {}).map(([split, digest]) => ({
      term: `Training data, ${split}`,
      value: `SHA-256 ${digest}`,
    })),
  ]
  return {
    id: 'provenance',
    title: 'Provenance',
    blocks: [{ kind: 'facts', caption: 'Source of every number', items }, softwareTable(software)],
  }
}
