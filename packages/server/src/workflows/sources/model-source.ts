import type { Model } from '@medloom/contracts'
import type { ServiceContext } from '../../context.js'
import { ModelsRepository, unknownModel } from '../../models/models.repository.js'
import { placedModel } from '../../models/placed-model.js'
import { type Manifest, openCheckpoint } from '../../storage/checkpoints.js'

/** A model that a node names, and its checkpoint. */
export interface RegisteredModel {
  /** With the present path of its checkpoint. */
  readonly model: Model
  readonly manifest: Manifest
}

/** Resolves `model_id`: the id or an alias of a registered model. */
export class ModelSource {
  readonly #repository: ModelsRepository

  constructor(private readonly context: Pick<ServiceContext, 'database' | 'folder'>) {
    this.#repository = new ModelsRepository(context.database)
  }

  /** @throws AppError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT */
  async find(name: string): Promise<RegisteredModel> {
    const found = await this.#repository.find(name)
    if (!found) throw unknownModel()
    const model = placedModel(found, this.context.folder)
    return { model, manifest: await openCheckpoint(model.checkpoint_path) }
  }
}
