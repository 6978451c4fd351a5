import type {
  Dataset,
  DatasetSummary,
  Inspection,
  InspectRequest,
  RegisterRequest,
  Removal,
} from '@medloom/contracts'
import type { z } from 'zod'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { Page } from '../http/pagination.js'
import { Removals } from '../removal/removals.js'
import { workflowsLoading } from '../removal/uses.repository.js'
import type { TaskOptions } from '../worker/task-pool.js'
import { DatasetsRepository } from './datasets.repository.js'

/** Inspects and registers a CSV or a folder. The Python worker reads it and returns counts, never patient data. */
export class DatasetsService {
  private readonly repository: DatasetsRepository
  private readonly removals: Removals

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder' | 'log' | 'pool' | 'roots'>,
  ) {
    this.repository = new DatasetsRepository(context.database)
    this.removals = new Removals(context)
  }

  /**
   * @throws AppError PATH_NOT_ALLOWED, FILE_NOT_FOUND, or what the reader finds: CSV_MALFORMED, COLUMN_NOT_FOUND, …
   */
  async inspect(request: z.output<typeof InspectRequest>, options: TaskOptions): Promise<Inspection> {
    const { roots, pool } = this.context
    const path = await roots.resolve(request.path, 'path', 'dataset')
    const imageRoot = await this.imageRootOf(request)
    const params = {
      path,
      image_root: imageRoot,
      label_column: request.label_column ?? null,
      label_columns: request.label_columns ?? null,
      time_column: request.time_column ?? null,
      event_column: request.event_column ?? null,
      patient_column: request.patient_column ?? null,
      positive_class: request.positive_class ?? null,
      slices: request.slices ?? null,
      ignore_columns: request.ignore_columns ?? [],
      roots: [...roots.folders],
    }
    return pool.run('inspect', params, options)
  }

  /**
   * A path is one dataset: registering it again inspects it again and updates the record under the same id, so that lists hold no
   * copies and an id stays valid.
   */
  async register(
    { name, report, ...request }: z.output<typeof RegisterRequest>,
    signal: AbortSignal,
  ): Promise<Dataset> {
    return this.repository.save(
      await this.inspect(request, { signal }),
      { name, report },
      {
        image_root: await this.imageRootOf(request),
        ignore_columns: request.ignore_columns ?? [],
        positive_class_named: request.positive_class !== undefined,
        slices: request.slices ?? null,
      },
    )
  }

  private async imageRootOf({ image_root }: z.output<typeof InspectRequest>): Promise<string | null> {
    return image_root === undefined ? null : this.context.roots.resolve(image_root, 'image_root', 'folder')
  }

  /** @throws AppError DATASET_NOT_FOUND */
  async get(datasetId: string): Promise<Dataset> {
    const dataset = await this.repository.find(datasetId)
    if (!dataset) throw unknownDataset()
    return dataset
  }

  /**
   * Remove the registration; the files that it describes are the user's and stay.
   * @throws AppError DATASET_NOT_FOUND, DATASET_IN_USE when a saved workflow loads it by its id.
   */
  remove(datasetId: string, dryRun: boolean): Promise<Removal> {
    return this.removals.remove(
      dryRun,
      async (transaction) => {
        const dataset = await this.repository.find(datasetId, transaction)
        if (!dataset) throw unknownDataset()
        const users = await workflowsLoading(transaction, datasetId)
        if (users.length > 0) throw inUse(users)
        const lost = [
          `the registration of "${dataset.name}" with its columns; ${dataset.path} stays as it is`,
        ]
        return { id: datasetId, folders: [], lost }
      },
      (transaction) => this.repository.remove(datasetId, transaction),
    )
  }

  list(size: number, token: string | undefined): Promise<Page<DatasetSummary>> {
    return this.repository.list(size, token)
  }
}

/** Workflows that a message names. */
const NAMED = 5

function inUse(users: readonly { workflow_id: string; name: string }[]): AppError {
  const named = users.slice(0, NAMED).map(({ workflow_id, name }) => `"${name}" (${workflow_id})`)
  const others = users.length > NAMED ? ` and ${users.length - NAMED} more` : ''
  return new AppError('DATASET_IN_USE', `loaded by ${named.join(', ')}${others}`)
}

function unknownDataset(): AppError {
  return new AppError('DATASET_NOT_FOUND', 'there is no dataset with this id')
}
