import { Baselines, IMPUTATIONS, type Job, TrainingConfig, trainerConfig } from '@medloom/contracts'
import type { z } from 'zod'
import {
  type Block,
  type Cell,
  type Fact,
  numeric,
  paragraph,
  type Section,
  table,
} from '../document/document.js'
import { formatMetric, metricName } from '../document/metric-names.js'
import { DASH, formatCount, formatDuration, formatNumber } from '../document/numbers.js'
import type { ReportInput } from '../report-input.js'
import { hasIndicator } from './data/missing-values.js'

/** Preprocessing and model: the path of a case from the table to its prediction. */
export function methodSection({ job }: Pick<ReportInput, 'job'>): Section {
  const { data, model } = job.config
  const { prepared } = job
  const images: Fact[] =
    model.vision_backbone === 'none'
      ? [{ term: 'Images', value: 'not used (table only)' }]
      : [
          { term: 'Image size', value: `${data.image_size[0]} × ${data.image_size[1]} pixels` },
          { term: 'Intensities', value: data.normalize },
          ...(data.window
            ? [{ term: 'Window', value: `centre ${data.window.center}, width ${data.window.width}` }]
            : []),
          {
            term: 'Augmentation',
            value: `${describeAugmentation(data.augmentation)}, ${data.horizontal_flip ? 'flipped horizontally' : 'not flipped'}`,
            note: 'training images only',
          },
        ]
  const columns: Fact[] =
    model.fusion_type === 'none'
      ? [{ term: 'Table', value: 'not used (image only)' }]
      : [
          { term: 'Missing values', value: describeMissing(data) },
          { term: 'Scaling of numbers', value: data.scaling },
          { term: 'Encoding of categories', value: data.categorical_encoding },
          { term: 'Feature selection', value: describeSelection(data.feature_selection) },
        ]
  return {
    id: 'method',
    title: 'Preprocessing and model',
    blocks: [
      paragraph(fittedOn(prepared)),
      { kind: 'facts', caption: 'Preprocessing', items: [...images, ...columns] },
      {
        kind: 'facts',
        caption: 'Model',
        items: [
          { term: 'Task', value: prepared?.task ?? model.task ?? DASH },
          { term: 'Classes', value: prepared?.classes?.join(', ') ?? DASH },
          ...(prepared?.positive_class ? [{ term: 'Positive class', value: prepared.positive_class }] : []),
          { term: 'Vision backbone', value: model.vision_backbone },
          { term: 'Pretrained weights', value: String(model.pretrained) },
          { term: 'Fusion', value: model.fusion_type },
          ...describeMembers(prepared, model),
          { term: 'View aggregation', value: model.aggregator },
          { term: 'Table encoder', value: model.tabular_encoder },
          { term: 'Parameters', value: formatCount(prepared?.parameters) },
          { term: 'Trainable parameters', value: formatCount(prepared?.trainable_parameters) },
        ],
      },
    ],
  }
}

/** Data on which preprocessing was fitted, which rule 1 of any evaluation requires. */
function fittedOn(prepared: Job['prepared']): string {
  const what = 'Everything that is fitted to data (imputation, scaling, encoding, target statistics)'
  if (prepared?.member_validation !== 'folds')
    return `${what} is fitted on the training split only, stored in the checkpoint, and applied unchanged to the other splits.`
  return `${what} is fitted on the training and validation cases, which train the networks, stored in the checkpoint, and applied unchanged to test and held-out cases. Target statistics of a case are computed without it; scaling, which reads no label, has seen the cases that validate a network.`
}

/** Networks whose predictions are combined. */
function describeMembers(prepared: Job['prepared'], model: TrainingConfig['model']): Fact[] {
  const members = prepared?.members ?? 1
  const validated = {
    folds:
      'each trained on the training and validation cases without a fold of its own (by patient, stratified), on which its epoch was chosen; validation figures are out of fold',
    split:
      'each trained on the training cases with a seed of its own, its epoch chosen on the validation cases',
  }
  const networks: Fact[] =
    members > 1
      ? [
          {
            term: 'Networks of the table',
            value: `${members}, whose mean predicts`,
            note: validated[prepared?.member_validation ?? 'split'],
          },
        ]
      : []
  const share = prepared?.linear_share ?? 0
  if (share > 0)
    networks.push({
      term: 'Share of linear models',
      value: String(share),
      note: 'of what each network of the table predicts, the part of a linear model with a ridge penalty, fitted on the cases that train the network; the penalty is the one with the least loss on the cases that the networks validate on',
    })
  if (model.fusion_type !== 'late') return networks
  const weight =
    model.image_weight === 'validation' ? 'chosen on the validation cases' : String(model.image_weight)
  return [
    ...networks,
    {
      term: 'Weight of the image',
      value: weight,
      note: 'a network of the image by itself; predictions are combined, the table counts 1',
    },
  ]
}

/** Epochs, device and metrics of the training. */
export function trainingSection({ job, history }: Pick<ReportInput, 'job' | 'history'>): Section {
  const { prepared } = job
  const best = job.best?.epoch ?? null
  const blocks: Block[] = [
    {
      kind: 'facts',
      caption: 'Run',
      items: [
        {
          term: 'Epochs',
          value: `${job.epoch} of ${job.total_epochs}`,
          ...(job.reason ? { note: job.reason } : {}),
        },
        {
          term: 'Best epoch',
          value: best === null ? DASH : String(best),
          ...(prepared ? { note: `chosen by ${prepared.monitor}` } : {}),
        },
        { term: 'Seed', value: String(job.config.training.seed) },
        { term: 'Device', value: job.device ?? prepared?.device ?? DASH },
        { term: 'Mixed precision', value: prepared?.mixed_precision ?? DASH },
        ...(job.fine_tuned_from ? [fineTunedFrom(job.fine_tuned_from)] : []),
        ...(job.resumed_from ? [{ term: 'Resumed from job', value: job.resumed_from }] : []),
      ],
    },
  ]
  if (history.length === 0) blocks.push(paragraph('No epoch was completed, so there is no learning curve.'))
  else blocks.push(historyTable(history, best))
  return { id: 'training', title: 'Training', blocks }
}

/** Every key, including those with default values. */
export function configurationSection({ job }: Pick<ReportInput, 'job'>): Section {
  return {
    id: 'configuration',
    title: 'Configuration',
    blocks: [
      paragraph(
        job.ensemble
          ? 'Of the first member, without its fold; the others may differ.'
          : 'Complete, with all defaults; the same is in config.yaml.',
      ),
      table(
        'Training configuration',
        ['Key', 'Value', 'Meaning'],
        [
          ...leaves(trainerConfig(job.config), TrainingConfig, []),
          [{ text: 'baselines', code: true }, written(job.config.baselines), titleOf(Baselines)],
        ],
      ),
    ],
  }
}

function fineTunedFrom(from: NonNullable<ReportInput['job']['fine_tuned_from']>): Fact {
  const { model_id, job_id, epoch, checkpoint_digest } = from
  return {
    term: 'Fine-tuned from',
    value: `${model_id ? `model ${model_id}, ` : ''}job ${job_id}, epoch ${epoch}`,
    note: `weights ${checkpoint_digest}; its preprocessing, columns and classes are kept`,
  }
}

function historyTable(history: ReportInput['history'], best: number | null): Block {
  const keys = [...new Set(history.flatMap(({ metrics }) => Object.keys(metrics)))]
  const timed = history.some(({ seconds }) => seconds !== null)
  // A long training shows its first and last epochs, every n-th between them, and the best; the folder metrics/ contains all.
  const step = Math.ceil(history.length / 40)
  const shown = history.filter(
    ({ epoch }, index) => index % step === 0 || index === history.length - 1 || epoch === best,
  )
  return table(
    'Metrics after each epoch',
    [
      numeric('Epoch'),
      ...keys.map((key) => numeric(metricName(key).label)),
      ...(timed ? [numeric('Time')] : []),
    ],
    shown.map(({ epoch, metrics, seconds }): Cell[] => [
      epoch === best ? `${epoch} (best)` : String(epoch),
      ...keys.map((key) => formatMetric(key, metrics[key])),
      ...(timed ? [formatDuration(seconds)] : []),
    ]),
    step > 1
      ? [`Every ${formatNumber(step)}th of ${history.length} epochs; all are in the folder metrics/.`]
      : [],
  )
}

/** One row per key, with its title from the contract. */
function leaves(value: object, schema: z.ZodType, path: readonly string[]): Cell[][] {
  return Object.entries(value).flatMap(([key, item]: [string, unknown]): Cell[][] => {
    const field = fieldOf(schema, key)
    const here = [...path, key]
    if (path.length === 0 && item !== null && typeof item === 'object')
      return leaves(item, field ?? schema, here)
    return [[{ text: here.join('.'), code: true }, written(item), titleOf(field)]]
  })
}

/** If the value of a key is transformed, the title of the input value. */
function titleOf(field: z.ZodType | undefined): string {
  const title = field?.meta()?.title
  if (title !== undefined || !field || !('in' in field)) return title ?? ''
  return titleOf(field.in as z.ZodType)
}

function fieldOf(schema: z.ZodType, key: string): z.ZodType | undefined {
  const shape: unknown = 'shape' in schema ? schema.shape : undefined
  if (typeof shape !== 'object' || shape === null) return undefined
  return (shape as Record<string, z.ZodType>)[key]
}

function written(value: unknown): string {
  if (value === null) return 'null'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

type DataSettings = ReportInput['job']['config']['data']

function describeAugmentation(augmentation: DataSettings['augmentation']): string {
  if (typeof augmentation === 'string') return augmentation
  const { methods, probability, intensity } = augmentation
  return `${methods.join(', ')}; each with probability ${probability}, intensity ${intensity}`
}

function describeMissing(data: DataSettings): string {
  if (!IMPUTATIONS.includes(data.missing_strategy)) return data.missing_strategy
  return `${data.missing_strategy}, ${hasIndicator(data) ? 'with' : 'without'} a missing indicator`
}

/** Jobs from before the key existed use every column. */
function describeSelection(selection: DataSettings['feature_selection'] | undefined): string {
  if (!selection || selection.method === 'none') return 'none'
  return selection.keep === null ? selection.method : `${selection.method}, ${selection.keep} columns kept`
}
