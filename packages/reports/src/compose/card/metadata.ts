import { headlineMetrics } from '@medloom/contracts'
import { metricName } from '../../document/metric-names.js'
import { type ReportInput, subjectResult } from '../../report-input.js'
import { intervalText } from '../../sections/interval-cells.js'

/** Metadata of the Hugging Face Hub, which its search and its leaderboards read. A key whose value is unknown is absent. */
export type CardMetadata = {
  readonly tags: readonly string[]
  readonly pipeline_tag?: string
  readonly metrics?: readonly string[]
  readonly 'model-index'?: readonly ModelIndex[]
}

type ModelIndex = {
  readonly name: string
  readonly results: readonly {
    readonly task: { readonly type: string; readonly name: string }
    readonly dataset: {
      readonly type: string
      readonly name: string
      readonly split: string
      readonly revision: string
    }
    readonly metrics: readonly { readonly type: string; readonly value: number; readonly name: string }[]
  }[]
}

/** Metric → its id on the Hub, for the metrics that the Hub has. */
const HUB_METRICS: Readonly<Record<string, string>> = {
  accuracy: 'accuracy',
  auc: 'roc_auc',
  f1_score: 'f1',
  sensitivity: 'recall',
  recall: 'recall',
  precision: 'precision',
  brier: 'brier_score',
  mae: 'mae',
  r2: 'r_squared',
  pearson: 'pearsonr',
  spearman: 'spearmanr',
}

/** Tasks that the Hub knows, by the inputs of the model. */
const HUB_TASKS = ['image-classification', 'tabular-classification', 'tabular-regression']

export function metadataOf(input: ReportInput, title: string): CardMetadata {
  const { job, model } = input
  const task = job.prepared?.task ?? model?.task ?? 'classification'
  const hubTask = `${inputsOf(input)}-${task}`
  const backbone = job.config.model.vision_backbone
  const index = indexOf(input, title, hubTask)
  const known = index?.results[0]?.metrics.flatMap(({ type }) =>
    Object.values(HUB_METRICS).includes(type) ? [type] : [],
  )
  return {
    tags: ['medloom', 'medical', task, ...(backbone === 'none' ? [] : [backbone])],
    ...(HUB_TASKS.includes(hubTask) ? { pipeline_tag: hubTask } : {}),
    ...(known && known.length > 0 ? { metrics: [...new Set(known)] } : {}),
    ...(index ? { 'model-index': [index] } : {}),
  }
}

function inputsOf({ job: { prepared } }: ReportInput): string {
  const images = (prepared?.image_columns.length ?? 0) > 0
  const columns = (prepared?.numeric_columns.length ?? 0) + (prepared?.categorical_columns.length ?? 0) > 0
  return images && columns ? 'multimodal' : images ? 'image' : 'tabular'
}

/** The headline metrics and those that the Hub has, unrounded. Results are self-reported, so none is marked as verified. */
function indexOf(input: ReportInput, title: string, hubTask: string): ModelIndex | null {
  const result = subjectResult(input)
  if (!result) return null
  const headline: readonly string[] = headlineMetrics(result.task)
  const metrics = Object.entries(result.metrics).flatMap(([key, value]) => {
    if (value === null || !(headline.includes(key) || key in HUB_METRICS)) return []
    const interval = result.intervals[key]
    const bounds =
      interval && interval.low !== null && interval.high !== null
        ? ` (95% CI ${intervalText(key, interval)})`
        : ''
    return [{ type: HUB_METRICS[key] ?? key, value, name: `${metricName(key).label}${bounds}` }]
  })
  if (metrics.length === 0) return null
  return {
    name: input.model?.model_id ?? input.job.model_id ?? input.job.job_id,
    results: [
      {
        task: { type: hubTask, name: result.task },
        dataset: { type: 'custom', name: title, split: result.split, revision: result.source.digest },
        metrics,
      },
    ],
  }
}
