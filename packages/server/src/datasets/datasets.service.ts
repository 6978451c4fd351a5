import type { Dataset, Inspection, InspectRequest, RegisterRequest } from '@medloom/contracts'
import type { z } from 'zod'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { Page } from '../http/pagination.js'
import { DatasetsRepository } from './datasets.repository.js'

/** Inspects and registers a CSV or a folder. The Python worker reads it and returns counts, never patient data. */
export class DatasetsService {
  private readonly repository: DatasetsRepository

  constructor(private readonly context: Pick<ServiceContext, 'database' | 'pool' | 'roots'>) {
    this.repository = new DatasetsRepository(context.database)
  }

  /**
   * @throws AppError PATH_NOT_ALLOWED, FILE_NOT_FOUND, or what the reader finds: CSV_MALFORMED, COLUMN_NOT_FOUND, …
   */
  async inspect(request: z.output<typeof InspectRequest>): Promise<Inspection> {
    const { roots, pool } = this.context
    const path = await roots.resolve(request.path, 'path')
    const imageRoot = await this.imageRootOf(request)
    return pool.run('inspect', {
      path,
      image_root: imageRoot,
      label_column: request.label_column ?? null,
      patient_column: request.patient_column ?? null,
      ignore_columns: request.ignore_columns ?? [],
      roots: [...roots.folders],
    })
  }

  /**
   * A path is one dataset: registering it again inspects it again and updates the record under the same id, so that lists hold no
   * copies and an id stays valid.
   */
  async register({ name, ...request }: z.output<typeof RegisterRequest>): Promise<Dataset> {
    return this.repository.save(await this.inspect(request), name, {
      image_root: await this.imageRootOf(request),
      ignore_columns: request.ignore_columns ?? [],
    })
  }

  private async imageRootOf({ image_root }: z.output<typeof InspectRequest>): Promise<string | null> {
    return image_root === undefined ? null : this.context.roots.resolve(image_root, 'image_root', 'folder')
  }

  /** @throws AppError DATASET_NOT_FOUND */
  async get(datasetId: string): Promise<Dataset> {
    const dataset = await this.repository.find(datasetId)
    if (!dataset) throw new AppError('DATASET_NOT_FOUND', 'there is no dataset with this id')
    return dataset
  }

  list(size: number, token: string | undefined): Promise<Page<Dataset>> {
    return this.repository.list(size, token)
  }
}
