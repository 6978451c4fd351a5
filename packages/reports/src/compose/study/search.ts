import { randomTrials, type SearchRange, type StudySearchStatus } from '@medloom/contracts'
import {
  type Block,
  type Cell,
  type Column,
  numeric,
  paragraph,
  type Section,
  table,
} from '../../document/document.js'
import { formatDifference, formatMetric, inSentence, metricName } from '../../document/metric-names.js'
import { countOf, DASH, formatNumber } from '../../document/numbers.js'
import type { StudyReportInput } from '../../report-input.js'
import { foldText, MEASURED_ON } from './study-text.js'

type Choice = StudySearchStatus['choices'][number]

/** Search space, selected settings on each fold, and the gap between validation and held-out cases. */
export function searchSection(input: StudyReportInput): Section | null {
  const { search } = input.study
  const searchConfig = input.study.config.search
  if (!search || !searchConfig) return null
  const blocks: Block[] = [
    paragraph(searchSentences(input)),
    table(
      'Search space',
      ['Key', 'Values'],
      Object.entries(searchConfig.space).map(([key, values]): Cell[] => [key, valuesText(values)]),
      [
        search.space_size === null
          ? 'The number of different settings is unlimited.'
          : `Number of different settings: ${search.space_size}.`,
      ],
    ),
    choiceTable(input, search),
    { kind: 'list', items: remarks(input, search) },
  ]
  return { id: 'search', title: `Search "${search.name}"`, blocks }
}

/** Description of the search; empty if the study has none. */
export function searchSentences({ study, measuredOn }: StudyReportInput): string {
  const { search } = study
  const searchConfig = study.config.search
  if (!search || !searchConfig) return ''
  const { choices, trials, pruned, failed } = search
  const lost = [
    ...(pruned > 0 ? [`${pruned} of them pruned by the median rule`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ]
  const best = `the ${search.better === 'lower' ? 'lowest' : 'highest'} ${inSentence(metricName(search.metric).label)}`
  const cases = UNTOUCHED[measuredOn]
  return [
    `The search ${samplerText(searchConfig.sampler, trials)} ${countOf(trials, 'setting')} ${placesText(study)} (search seed ${searchConfig.seed}), ${countOf(search.asked, 'setting')} in total${lost.length > 0 ? `, ${lost.join(', ')}` : ''}.`,
    `Each setting was trained like a variant, and the setting with ${best} on validation data at the best epoch was chosen${choices.length === 1 ? '' : ' each time'}.${cases}`,
  ].join(' ')
}

/** Relation between the measured cases and the search. */
const UNTOUCHED = {
  'held-out':
    ' No held-out case was used for a choice, and the predictions of the other trials on held-out cases are not included in any result.',
  test: ' No test case was used for a choice, and the other trials were not evaluated on the test split.',
  validation: '',
} as const satisfies Record<StudyReportInput['measuredOn'], string>

/** Seeds and folds that have a separate search. */
function placesText({ config, search }: StudyReportInput['study']): string {
  const choices = search?.choices.length ?? 0
  const seeds = new Set(search?.choices.map(({ seed }) => seed)).size
  if (config.folds === null) return choices === 1 ? 'once' : `for each of ${choices} seeds`
  return seeds === 1 ? `for each of ${choices} folds` : `for each of ${choices} combinations of seed and fold`
}

function samplerText(sampler: StudySearchStatus['sampler'], trials: number): string {
  if (sampler === 'grid') return '(full grid) tried'
  if (sampler === 'random') return '(random) tried'
  return `(TPE of Optuna; the first ${countOf(randomTrials(trials), 'trial')} random) tried`
}

function choiceTable(input: StudyReportInput, search: StudySearchStatus) {
  const { study, measuredOn } = input
  const primary = metricName(study.metric).label
  const apart = measuredOn !== 'validation'
  const heldOut = measuredOn === 'test' ? 'test' : 'held out'
  const columns: (string | Column)[] = [
    numeric('Seed'),
    'Fold',
    numeric('Completed'),
    'Chosen setting',
    numeric(metricName(search.metric).label),
    numeric(`Validation ${primary}`),
    ...(apart ? [numeric(`${primary}, ${heldOut}`), numeric('Gap')] : []),
  ]
  const divisions = study.config.folds?.repeats ?? 1
  return table(
    'Chosen settings and their results',
    columns,
    search.choices.map((choice): Cell[] => {
      const { seed, repeat, fold, completed, best, ended } = choice
      const measured = measuredOf(input, choice)
      const chosen = ended ? best : null
      return [
        String(seed),
        foldText({ repeat, fold }, divisions),
        `${completed} of ${search.trials}`,
        chosen ? { text: settingText(chosen.settings), below: `trial ${chosen.trial + 1}` } : DASH,
        chosen ? formatNumber(chosen.value) : DASH,
        formatMetric(study.metric, chosen?.validation),
        ...(apart
          ? [formatMetric(study.metric, measured), formatDifference(study.metric, gapOf(input, choice))]
          : []),
      ]
    }),
    apart ? [`Gap: ${primary} on ${MEASURED_ON[measuredOn]} minus ${primary} on validation data.`] : [],
  )
}

function remarks(input: StudyReportInput, search: StudySearchStatus): string[] {
  const { study, measuredOn } = input
  const primary = metricName(study.metric).label
  const gaps = search.choices.flatMap((choice) => gapOf(input, choice) ?? [])
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  const chosen = search.choices.flatMap(({ ended, best }) =>
    ended && best ? [JSON.stringify(best.settings)] : [],
  )
  const different = new Set(chosen).size
  const found: string[] = []
  if (gaps.length > 0)
    found.push(
      `From validation to ${MEASURED_ON[measuredOn]}, ${primary} changes by ${formatDifference(study.metric, mean)} on average. Epoch and setting were chosen on validation data, so validation results are optimistic.`,
    )
  if (measuredOn === 'validation')
    found.push(
      'Epoch and setting were both chosen on validation data, and there are no other cases, so these results are optimistic.',
    )
  if (chosen.length > 1)
    found.push(
      different === 1
        ? 'The same setting was chosen each time.'
        : `${different} different settings were chosen ${placesText(study).replace('each of ', '')}: the results are those of the whole procedure including its search, not of one setting.`,
    )
  return found
}

function measuredOf({ study, results }: StudyReportInput, { seed, repeat, fold }: Choice): number | null {
  const name = study.search?.name
  const own = results.trainings.find(
    (one) => one.variant === name && one.seed === seed && one.repeat === repeat && one.fold === fold,
  )
  return own?.metrics[study.metric] ?? null
}

/** Primary metric on the measured cases, minus that in validation. */
function gapOf(input: StudyReportInput, choice: Choice): number | null {
  const measured = measuredOf(input, choice)
  const validation = choice.ended ? (choice.best?.validation ?? null) : null
  if (input.measuredOn === 'validation' || measured === null || validation === null) return null
  return measured - validation
}

function valuesText(values: readonly unknown[] | SearchRange): string {
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(', ')
  const { low, high, log, step, int } = values as SearchRange
  const kind = [
    ...(int ? ['whole numbers'] : []),
    ...(log ? ['log scale'] : []),
    ...(step === undefined ? [] : [`in steps of ${step}`]),
  ]
  return [`${low} to ${high}`, ...kind].join(', ')
}

function settingText(settings: Readonly<Record<string, unknown>>): string {
  return Object.entries(settings)
    .map(
      ([key, value]) => `${key} = ${typeof value === 'number' ? shortNumber(value) : JSON.stringify(value)}`,
    )
    .join('; ')
}

/** Four significant digits; results and status contain the exact value. */
function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)))
}
