import { type StudyResults, seedsOf } from '@medloom/contracts'
import {
  type Cell,
  type Fact,
  type Notice,
  numeric,
  paragraph,
  type ReportDocument,
  type Section,
  table,
} from '../../document/document.js'
import { formatMetric, metricName } from '../../document/metric-names.js'
import { countOf, DASH, formatCount, formatTime } from '../../document/numbers.js'
import type { StudyReportInput } from '../../report-input.js'
import { statement } from '../../sections/purpose.js'
import { softwareTable } from '../../sections/software.js'
import { dataOfStudySection, designSection, foldsInWords } from './design.js'
import { methodsSection } from './methods.js'
import { comparisonSection, outcomeSection, varianceSection } from './outcomes.js'
import { referenceSection } from './reference.js'
import { searchSection } from './search.js'
import { foldText, intervalOf, trained } from './study-text.js'

/** Report of a study, independent of the format: its question, results, methods, and data. */
export function composeStudyReport(given: StudyReportInput): ReportDocument {
  const input = { ...given, results: withTitles(given.results) }
  const { study } = input
  const texts = study.config.config.report ?? {}
  const sections = [
    designSection(input),
    outcomeSection(input),
    searchSection(input),
    comparisonSection(input),
    varianceSection(input),
    referenceSection(input),
    dataOfStudySection(input),
    incompleteSection(input),
    methodsSection(input),
    limitationsOfStudy(input),
    trainingsSection(input),
    provenanceOfStudy(input),
  ]
  return {
    title: texts.study_title ?? study.name,
    kicker: 'Study report',
    ...(texts.authors ? { byline: texts.authors } : {}),
    summary: overview(input),
    notices: notices(input),
    sections: sections.filter((section): section is Section => section !== null),
    footer: `Written by Medloom from the files of study ${study.study_id}, created ${formatTime(study.created_at)}. Every number is read from those files; "–" marks a missing value. For research use only, not a medical device.`,
  }
}

/** Replaces baseline names by their titles everywhere; trained variants have user-defined names. */
function withTitles(results: StudyResults): StudyResults {
  const titles = new Map(results.variants.map(({ name, title }) => [name, title]))
  const titled = (name: string) => titles.get(name) ?? name
  return {
    ...results,
    variants: results.variants.map((variant) => ({ ...variant, name: variant.title })),
    comparisons: results.comparisons.map((one) => ({ ...one, a: titled(one.a), b: titled(one.b) })),
    trainings: results.trainings.map((one) => ({ ...one, variant: titled(one.variant) })),
  }
}

function overview(input: StudyReportInput): Fact[] {
  const { study, results } = input
  const { progress, metric } = study
  const label = metricName(metric).label
  return [
    { term: 'Task', value: results.task },
    {
      term: 'Trainings',
      value: formatCount(progress.completed),
      note:
        progress.completed === progress.total
          ? 'all completed'
          : `of ${formatCount(progress.total)}${progress.pruned > 0 ? `, ${formatCount(progress.pruned)} pruned` : ''}`,
    },
    ...(study.search
      ? [
          {
            term: 'Settings tried',
            value: formatCount(study.search.asked),
            note: `${study.search.sampler}, ${formatCount(study.search.trials)} for each choice`,
          },
        ]
      : []),
    {
      term: 'Seeds',
      value: formatCount(seedsOf(study.config).length),
      note: study.config.folds === null ? 'one split' : `each with ${foldsInWords(input)}`,
    },
    ...trained(input)
      .slice(0, 4)
      .map(({ name, metrics }) => ({
        term: `${label}, ${name}`,
        value: formatMetric(metric, metrics[metric]?.estimate),
        note: intervalOf(metric, metrics[metric]?.low ?? null, metrics[metric]?.high ?? null),
      })),
  ]
}

/** Trainings missing from the results. A pruned or failed trial counts as missing only if its search selected nothing. */
function leftOut({ jobs, search }: StudyReportInput['study']): StudyReportInput['study']['jobs'] {
  const chosen = (search?.choices ?? []).filter(({ ended, best }) => ended && best)
  return jobs.filter(
    ({ status, trial, seed, repeat, fold }) =>
      status !== 'completed' &&
      (trial === null ||
        !chosen.some((one) => one.seed === seed && one.repeat === repeat && one.fold === fold)),
  )
}

function notices({ study, results, measuredOn }: StudyReportInput): Notice[] {
  const { total } = study.progress
  const missing = leftOut(study).length
  const evaluated = new Set(results.variants.filter(({ kind }) => kind === 'trained').map(({ name }) => name))
  const tested = results.trainings.filter(({ variant }) => evaluated.has(variant)).length
  const found: Notice[] = []
  if (missing > 0)
    found.push({
      kind: 'notice',
      tone: 'danger',
      title: `The study is incomplete: ${formatCount(total - missing)} of ${countOf(total, 'training')} completed.`,
      text: 'The results include only completed trainings. Resume the study to train the others.',
    })
  if (measuredOn === 'validation')
    found.push({
      kind: 'notice',
      tone: 'warning',
      title: 'Validation results, not test results.',
      text: 'The best epochs were chosen on these cases, so the results are optimistic.',
    })
  if (measuredOn === 'test')
    found.push({
      kind: 'notice',
      tone: 'note',
      title: `${countOf(tested, 'evaluation')} on test data.`,
      text: 'Each model was evaluated once on the test split. If you choose a variant by these results, you need other cases to measure its performance.',
    })
  return found
}

/** Trainings that are not part of the results, with the reasons. */
function incompleteSection({ study }: StudyReportInput): Section | null {
  const missing = leftOut(study)
  if (missing.length === 0) return null
  const divisions = study.config.folds?.repeats ?? 1
  return {
    id: 'incomplete',
    title: 'Excluded trainings',
    blocks: [
      paragraph(
        `${countOf(missing.length, 'training')} of ${formatCount(study.progress.total)} did not complete and ${missing.length === 1 ? 'is' : 'are'} not included in any result.`,
      ),
      table(
        'Excluded trainings',
        ['Variant', numeric('Seed'), 'Fold', 'Status', 'Reason'],
        missing.map(({ variant, seed, repeat, fold, status, error }): Cell[] => [
          variant,
          String(seed),
          foldText({ repeat, fold }, divisions),
          status,
          error ? `${error.message} [${error.code}]` : DASH,
        ]),
      ),
    ],
  }
}

/** Limitations that follow from the design; the authors add the rest. */
function limitationsOfStudy({ study, results, measuredOn }: StudyReportInput): Section {
  const seeds = seedsOf(study.config).length
  const found: string[] = []
  if (seeds === 1)
    found.push('Only one seed was used, so the variation between repeated trainings is unknown.')
  if (study.config.folds === null)
    found.push(
      'There is only one split. Only the intervals show how much the results depend on the cases in it.',
    )
  if (measuredOn === 'validation')
    found.push(
      'The results come from the cases on which the epochs were chosen. They do not estimate performance on new patients.',
    )
  if (measuredOn === 'held-out')
    found.push(
      'Trainings of different folds share most of their training cases, so their results are not independent. The tests account for this; an ordinary t-test would not.',
    )
  if (results.trainings.some(({ num_patients }) => num_patients === null))
    found.push(
      'The table does not identify patients. If a patient has several rows, the intervals are too narrow and the folds may share patients.',
    )
  if (study.config.folds?.column === undefined)
    found.push('Generalization to other hospitals, devices or time periods was not tested.')
  const texts = study.config.config.report ?? {}
  return {
    id: 'limitations',
    title: 'Limitations',
    blocks: [
      { kind: 'list', items: found },
      { kind: 'statements', items: [statement(texts, 'limitations')] },
    ],
  }
}

function trainingsSection({ study, results }: StudyReportInput): Section {
  const { metric } = study
  const divisions = study.config.folds?.repeats ?? 1
  return {
    id: 'trainings',
    title: 'Single trainings',
    blocks: [
      table(
        `${metricName(metric).label} of every completed training`,
        ['Variant', numeric('Seed'), 'Fold', numeric('Cases'), numeric(metricName(metric).label), 'Note'],
        results.trainings.map(({ variant, seed, repeat, fold, num_cases, metrics, notes }): Cell[] => [
          variant,
          String(seed),
          foldText({ repeat, fold }, divisions),
          formatCount(num_cases),
          formatMetric(metric, metrics[metric]),
          notes[metric] ?? DASH,
        ]),
      ),
    ],
  }
}

/** Provenance of every number: study, tables and software. */
function provenanceOfStudy({ study, results, tables, configuration }: StudyReportInput): Section {
  const items: Fact[] = [
    { term: 'Study', value: study.study_id, note: study.name },
    { term: 'Created', value: formatTime(study.created_at) },
    { term: 'Results', value: 'results.json', note: 'in the folder of the study' },
    ...Object.entries(tables).map(([key, { path, sha256 }]) => ({
      term: `Table, data.${key}`,
      value: path,
      note: `SHA-256 ${sha256}`,
    })),
  ]
  return {
    id: 'provenance',
    title: 'Provenance',
    blocks: [
      { kind: 'facts', caption: 'Source of every number', items },
      softwareTable(results.software),
      {
        kind: 'code',
        caption: 'study.yaml with all defaults; to repeat the study: medloom study run -f study.yaml',
        text: configuration,
      },
    ],
  }
}
