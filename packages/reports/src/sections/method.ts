import {
  Baselines,
  IMPUTATIONS,
  type Job,
  type Task,
  TrainingConfig,
  trainerConfig,
} from '@medloom/contracts'
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
import { formatMetric, inSentence, metricName } from '../document/metric-names.js'
import { countOf, DASH, formatCount, formatDuration, formatNumber } from '../document/numbers.js'
import type { ReportInput } from '../report-input.js'
import { hasIndicator } from './data/missing-values.js'

/** Preprocessing and model, from the table to a prediction. */
export function methodSection({ job }: Pick<ReportInput, 'job'>): Section {
  const { data, model } = job.config
  const { prepared } = job
  const images: Fact[] =
    model.vision_backbone === 'none'
      ? [{ term: 'Images', value: 'not used (table-only model)' }]
      : [
          { term: 'Image size', value: `${data.image_size[0]} × ${data.image_size[1]} pixels` },
          { term: 'Intensities', value: data.normalize },
          ...(data.window
            ? [{ term: 'Window', value: `center ${data.window.center}, width ${data.window.width}` }]
            : []),
          {
            term: 'Augmentation',
            value: `${describeAugmentation(data.augmentation)}, ${data.horizontal_flip ? 'with horizontal flips' : 'without horizontal flips'}`,
            note: 'training images only',
          },
        ]
  const columns: Fact[] =
    model.fusion_type === 'none'
      ? [{ term: 'Table', value: 'not used (image-only model)' }]
      : [
          { term: 'Missing values', value: describeMissing(data) },
          { term: 'Scaling of numeric columns', value: data.scaling },
          { term: 'Encoding of categorical columns', value: data.categorical_encoding },
          describeSelection(data.feature_selection, prepared?.task ?? model.task),
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

/** Data on which preprocessing was fitted: never the evaluated cases. */
function fittedOn(prepared: Job['prepared']): string {
  const steps = 'All data-dependent preprocessing (imputation, scaling, encoding, target statistics)'
  if (prepared?.member_validation !== 'folds')
    return `${steps} was fitted on the training split only, stored in the checkpoint, and applied unchanged to the other splits.`
  return `${steps} was fitted on the training and validation cases, on which the networks are trained, stored in the checkpoint, and applied unchanged to test and held-out cases. The target statistics of a case exclude that case. Scaling, which does not use labels, includes the validation cases of a network.`
}

/** Networks whose predictions are combined. */
function describeMembers(prepared: Job['prepared'], model: TrainingConfig['model']): Fact[] {
  const members = prepared?.members ?? 1
  const validated = {
    folds:
      'each trained on the training and validation cases except one fold (stratified, grouped by patient), on which its epoch was chosen; validation results are out-of-fold',
    split:
      'each trained on the training cases with a different seed; the epoch was chosen on the validation cases',
  }
  const networks: Fact[] =
    members > 1
      ? [
          {
            term: 'Table networks',
            value: `${members}, predictions averaged`,
            note: validated[prepared?.member_validation ?? 'split'],
          },
        ]
      : []
  const share = prepared?.linear_share ?? 0
  if (share > 0)
    networks.push({
      term: 'Weight of linear models',
      value: String(share),
      note: 'weight of a ridge-penalized linear model in the prediction of each table network; it is fitted on the training cases of the network, with the penalty that has the lowest loss on the validation cases of the networks',
    })
  if (model.fusion_type !== 'late') return networks
  const weight =
    model.image_weight === 'validation' ? 'chosen on the validation cases' : String(model.image_weight)
  return [
    ...networks,
    {
      term: 'Weight of the image network',
      value: weight,
      note: 'the predictions of an image network and the table networks are combined; the weight of the table is 1',
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
          ...(prepared ? { note: `chosen by ${inSentence(metricName(prepared.monitor).label)}` } : {}),
        },
        { term: 'Seed', value: String(job.config.training.seed) },
        { term: 'Device', value: job.device ?? prepared?.device ?? DASH },
        { term: 'Mixed precision', value: prepared?.mixed_precision ?? DASH },
        ...(job.fine_tuned_from ? [fineTunedFrom(job.fine_tuned_from)] : []),
        ...(job.resumed_from ? [{ term: 'Resumed from job', value: job.resumed_from }] : []),
      ],
    },
  ]
  if (history.length === 0) blocks.push(paragraph('No epoch was completed, so there are no learning curves.'))
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
          ? 'Configuration of the first member, without its fold. The other members may differ.'
          : 'Complete configuration including defaults, as in config.yaml.',
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

/** Every key of the section `training`. */
export function hyperparameters({ training }: Pick<TrainingConfig, 'training'>): Block {
  return table(
    'Hyperparameters',
    ['Key', 'Value', 'Meaning'],
    leaves(training, TrainingConfig.shape.training, ['training']),
  )
}

function fineTunedFrom(from: NonNullable<ReportInput['job']['fine_tuned_from']>): Fact {
  const { model_id, job_id, epoch, checkpoint_digest } = from
  return {
    term: 'Fine-tuned from',
    value: `${model_id ? `model ${model_id}, ` : ''}job ${job_id}, epoch ${epoch}`,
    note: `weights ${checkpoint_digest}; preprocessing, columns and classes are those of that model`,
  }
}

function historyTable(history: ReportInput['history'], best: number | null): Block {
  const keys = [...new Set(history.flatMap(({ metrics }) => Object.keys(metrics)))]
  const timed = history.some(({ seconds }) => seconds !== null)
  // A long training shows its first, last and best epochs and every n-th one; the folder metrics/ contains all of them.
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
      ? [
          `One in ${formatNumber(step)} of ${countOf(history.length, 'epoch')}; the folder metrics/ contains all of them.`,
        ]
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

/** Jobs of versions without this key use every column. */
function describeSelection(
  selection: DataSettings['feature_selection'] | undefined,
  task: Task | null | undefined,
): Fact {
  const term = 'Feature selection'
  if (!selection || selection.method === 'none') return { term, value: 'none' }
  if (selection.keep === null) return { term, value: selection.method }
  return {
    term,
    value: `${selection.method}, ${countOf(selection.keep, 'column')} selected`,
    note:
      task === 'survival'
        ? 'columns are ranked by their association with the martingale residual of a model without inputs (Therneau, Grambsch and Fleming 1990), not with the time or the event itself'
        : 'columns are ranked by their association with the label in the training split',
  }
}
