import { seedsOf } from '@medloom/contracts'
import { paragraph, type Section } from '../../document/document.js'
import { inSentence, metricName } from '../../document/metric-names.js'
import { countOf } from '../../document/numbers.js'
import type { StudyReportInput } from '../../report-input.js'
import { design, memberFolds } from './design.js'
import { searchSentences } from './search.js'
import { trained } from './study-text.js'

/** Methods paragraph for a paper: the procedure in sentences, each based on what the results state was computed. */
export function methodsSection(input: StudyReportInput): Section {
  const { results } = input
  const sentences = [design(input), searchSentences(input), repetition(input), model(input), baselines(input)]
  return {
    id: 'methods',
    title: 'Methods',
    blocks: [
      paragraph(sentences.filter((sentence) => sentence !== '').join(' ')),
      paragraph(results.methods.statements.join(' ')),
    ],
  }
}

function repetition({ study, prepared }: StudyReportInput): string {
  const seeds = seedsOf(study.config)
  const seedSentence = `The ${seeds.length === 1 ? 'seed was' : 'seeds were'} ${listed(seeds)}.`
  const { epochs, batch_size, early_stopping } = study.config.config.training
  const epoch = `The base was trained for up to ${countOf(epochs, 'epoch')} in batches of ${batch_size}; the epoch with the best ${early_stopping.monitor === 'auto' ? 'validation loss' : inSentence(metricName(early_stopping.monitor).label)} was selected${memberFolds(prepared) > 1 ? ` for each of its ${memberFolds(prepared)} networks, whose predictions are averaged` : ''}.`
  return [seedSentence, epoch, linearModels(prepared)].filter((sentence) => sentence !== '').join(' ')
}

function linearModels(prepared: StudyReportInput['prepared']): string {
  const share = prepared?.linear_share ?? 0
  return share > 0
    ? `The prediction of each network includes a ridge-penalized linear model with weight ${share}, whose penalty was chosen on the cases on which the epochs were chosen.`
    : ''
}

function model({ study }: StudyReportInput): string {
  const { vision_backbone, fusion_type, pretrained } = study.config.config.model
  if (vision_backbone === 'none') return 'The base uses only the table.'
  const backbone = `${pretrained === false ? 'not pretrained' : 'pretrained'} ${vision_backbone}`
  if (fusion_type === 'none') return `The base uses only the images (${backbone}).`
  return `The base uses images and table (${backbone}, fusion "${fusion_type}").`
}

function baselines(input: StudyReportInput): string {
  const found = input.results.variants.filter(({ kind }) => kind === 'baseline')
  if (found.length === 0) return ''
  const names = found.map(({ title }) => title).join(', ')
  const variant = trained(input).find(({ name }) => name === found[0]?.carried_by)?.name
  const where = variant === undefined ? '' : ` in the trainings of "${variant}"`
  return `Baselines (${names}) were fitted on ${rowsOf(found)}${where}.`
}

function rowsOf(found: readonly StudyReportInput['results']['variants'][number][]): string {
  const known = found.flatMap(({ fitted_on }) => fitted_on ?? [])
  if (known.length < found.length)
    return 'the training cases, whereas networks that each leave out a different fold were also trained on the validation cases'
  const rows = known.every(({ splits }) => splits.includes('val'))
    ? 'the training and validation cases'
    : 'the training cases'
  if (known.every(({ same_as_model }) => same_as_model)) return `the same rows as the model (${rows})`
  const fewer = found.filter(({ fitted_on }) => fitted_on?.same_as_model === false)
  return `${rows}; the model was trained on more cases than ${fewer.map(({ title }) => title).join(', ')}`
}

function listed(seeds: readonly number[]): string {
  return seeds.length > 10 ? `${seeds.slice(0, 10).join(', ')}, …` : seeds.join(', ')
}
