import { atPlace, type Dataset, phrase, type Recipe, type Slices } from '@medloom/contracts'
import type { ServiceContext } from '../../context.js'
import { DatasetsRepository } from '../../datasets/datasets.repository.js'
import { AppError } from '../../errors.js'

/** Location of the cases of a LoadDataset node, for the worker. */
export interface DatasetPlace {
  readonly path: string
  readonly image_root: string | null
  readonly label_columns: readonly string[]
  readonly time_column: string | null
  readonly event_column: string | null
  readonly patient_column: string | null
  readonly ignore_columns: readonly string[]
  readonly positive_class: string | null
  readonly slices: Slices | null
  /** Makes the table of the dataset. */
  readonly recipe?: Recipe
  /** Column → role, for chosen roles other than label, patient and ignored. */
  readonly roles: NonNullable<Dataset['roles']>
}

const INFERRED = {
  image_root: null,
  label_columns: [],
  time_column: null,
  event_column: null,
  patient_column: null,
  ignore_columns: [],
  positive_class: null,
  slices: null,
  roles: {},
}

/** Resolves `dataset_id`: the id of a registered dataset, or a CSV or folder inside the roots (so that files are portable). */
export class DatasetSource {
  readonly #repository: DatasetsRepository

  constructor(private readonly context: Pick<ServiceContext, 'database' | 'roots'>) {
    this.#repository = new DatasetsRepository(context.database)
  }

  /** @throws AppError DATASET_NOT_FOUND, or like Roots.resolve. */
  async find(datasetId: string, place: string): Promise<{ place: DatasetPlace; record: Dataset | null }> {
    const { roots } = this.context
    const record = await this.#repository.find(datasetId)
    if (record) {
      const columns = (role: string) =>
        record.columns.filter((known) => known.role === role).map(({ name }) => name)
      const imageRoot = record.image_root ?? null
      return {
        record,
        place: {
          path: await roots.resolve(record.path, place, 'dataset'),
          image_root: imageRoot === null ? null : await roots.resolve(imageRoot, place, 'folder'),
          label_columns: columns('label'),
          time_column: record.time_column ?? null,
          event_column: record.event_column ?? null,
          patient_column: columns('patient')[0] ?? null,
          ignore_columns: record.ignore_columns ?? [],
          positive_class: record.positive_class_named ? (record.positive_class ?? null) : null,
          slices: record.slices ?? null,
          ...(record.recipe ? { recipe: record.recipe } : {}),
          roles: otherRoles(record),
        },
      }
    }
    const named = /[/\\]|\.[A-Za-z0-9]+$/.test(datasetId)
    try {
      const path = await roots.resolve(datasetId, place, 'dataset')
      return { record: null, place: { path, ...INFERRED } }
    } catch (error) {
      if (named || !(error instanceof AppError) || error.code !== 'FILE_NOT_FOUND') throw error
      throw new AppError('DATASET_NOT_FOUND', atPlace(place, phrase('dataset_unknown')))
    }
  }
}

/** Separate keys name the label, the patient and the ignored columns. */
function otherRoles({ roles = {} }: Dataset): NonNullable<Dataset['roles']> {
  const named = ['label', 'patient', 'ignored']
  return Object.fromEntries(Object.entries(roles).filter(([, role]) => !named.includes(role)))
}
