import type { Dataset } from '@medloom/contracts'
import { changeDraft, type Draft, valueAt } from '../../forms/draft'

/**
 * The configuration for this dataset: values of the record replace existing ones, other values stay, and required values are filled in.
 * base: keys that lead to the configuration in the draft.
 */
export function applyDataset(draft: Draft, dataset: Dataset, base: readonly string[] = []): Draft {
  const { path, splits, image_root, columns, time_column, event_column, ignore_columns, recipe } = dataset
  const named = (role: string) => columns.filter((column) => column.role === role).map(({ name }) => name)
  const labels = named('label')
  const survival = Boolean(time_column)
  const chosen = new Set(Object.values(dataset.roles ?? {}))
  const kinds = chosen.has('numeric') || chosen.has('categorical')
  const keys = {
    ...(recipe
      ? { ...NO_TABLES, train_csv: path, recipe }
      : { ...tablesOf(path, splits), recipe: undefined }),
    image_root: image_root ?? undefined,
    label_column: !survival && labels.length === 1 ? labels[0] : undefined,
    label_columns: !survival && labels.length > 1 ? labels : undefined,
    time_column: time_column ?? undefined,
    event_column: event_column ?? undefined,
    patient_column: named('patient')[0],
    // A training infers these keys itself, unless the user has set one.
    split_column: chosen.has('split') ? named('split')[0] : undefined,
    image_columns: chosen.has('image') ? named('image') : undefined,
    numeric_columns: kinds ? named('numeric') : undefined,
    categorical_columns: kinds ? named('categorical') : undefined,
    positive_class: dataset.positive_class_named ? (dataset.positive_class ?? undefined) : undefined,
    ignore_columns: ignore_columns?.length ? ignore_columns : undefined,
    slices: dataset.slices ?? undefined,
  }
  const data = Object.entries(keys).reduce(
    (next, [key, value]) => changeDraft(next, [...base, 'data', key], value),
    draft,
  )
  return fillDefaults(data, dataset, base)
}

/** A recipe reads the path itself, also if it is a folder. */
const NO_TABLES = { train_csv: undefined, val_csv: undefined, test_csv: undefined }

/** A folder contains one table per split. */
export function tablesOf(path: string, splits: Readonly<Record<string, number>>) {
  if (/\.\w+$/.test(path)) return { ...NO_TABLES, train_csv: path }
  const tableOf = (split: string) => (split in splits ? `${path}/${split}.csv` : undefined)
  return { train_csv: `${path}/train.csv`, val_csv: tableOf('val'), test_csv: tableOf('test') }
}

/** Networks by data kind: images and table with gated fusion, images only, or a table only. */
const NETWORKS = {
  multimodal: { vision_backbone: 'resnet18', fusion_type: 'gated' },
  image: { vision_backbone: 'resnet18', fusion_type: 'none' },
  tabular: { vision_backbone: 'none', fusion_type: 'concatenate' },
} as const
const EPOCHS = 20
const MAX_BATCH = 32
const MIN_STEPS = 8

/** Fills in unset required settings with values that fit the data. They are a starting point, not a recommendation for a publication. */
function fillDefaults(draft: Draft, { kind, num_cases, splits }: Dataset, base: readonly string[]): Draft {
  const defaults = {
    model: NETWORKS[kind],
    training: { epochs: EPOCHS, batch_size: batchFor(splits.train ?? num_cases) },
  }
  return Object.entries(defaults).reduce(
    (next, [section, keys]) =>
      Object.entries(keys).reduce((before, [key, value]) => {
        const path = [...base, section, key]
        return valueAt(before.value, path) === undefined ? changeDraft(before, path, value) : before
      }, next),
    draft,
  )
}

/** Power of two with several steps per epoch. */
export function batchFor(cases: number): number {
  let size = MAX_BATCH
  while (size > 2 && cases / size < MIN_STEPS) size /= 2
  return size
}
