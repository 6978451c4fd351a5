import { type AliasMove, atPlace, phrase, type SetAlias } from '@medloom/contracts'
import type { z } from 'zod'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { Page } from '../http/pagination.js'
import { weightsDigest } from '../storage/checkpoints.js'
import { AliasesRepository } from './aliases.repository.js'
import { ModelsRepository, unknownModel } from './models.repository.js'

/** Aliases that users set to models, with the evidence for each decision. */
export class AliasesService {
  private readonly aliases: AliasesRepository
  private readonly models: ModelsRepository

  constructor(private readonly context: Pick<ServiceContext, 'database' | 'folder'>) {
    this.aliases = new AliasesRepository(context.database)
    this.models = new ModelsRepository(context.database)
  }

  list(): Promise<AliasMove[]> {
    return this.aliases.list()
  }

  /** @throws AppError ALIAS_NOT_FOUND also when nobody had set the alias at that time. */
  async get(alias: string, at: string | undefined): Promise<AliasMove> {
    // Stored times have milliseconds, and are compared as texts.
    const move = await this.aliases.find(alias, at === undefined ? at : new Date(at).toISOString())
    if (!move || (at === undefined && move.model_id === null)) throw unknownAlias(alias, at)
    return move
  }

  /** @throws AppError ALIAS_NOT_FOUND, INVALID_PAGE_TOKEN */
  async history(alias: string, size: number, token: string | undefined): Promise<Page<AliasMove>> {
    const page = await this.aliases.history(alias, size, token)
    if (page.items.length === 0) throw unknownAlias(alias)
    return page
  }

  /** @throws AppError MODEL_NOT_FOUND, EVALUATION_NOT_FOUND (or of another model), or the error of its checkpoint. */
  async set(alias: string, body: z.output<typeof SetAlias>, user: string | null): Promise<AliasMove> {
    const model = await this.models.find(body.model_id)
    if (!model) throw unknownModel()
    const weights_digest = await weightsDigest(this.context.folder.run(model.job_id).checkpoint('best'))
    return this.aliases.append({
      alias,
      model_id: model.model_id,
      weights_digest,
      evaluation_id: await this.evidence(model.model_id, weights_digest, body.evaluation_id),
      note: body.note ?? null,
      set_by: user,
    })
  }

  /** @throws AppError ALIAS_NOT_FOUND */
  async remove(alias: string, user: string | null): Promise<AliasMove> {
    await this.get(alias, undefined)
    const nothing = { model_id: null, weights_digest: null, evaluation_id: null, note: null }
    return this.aliases.append({ alias, ...nothing, set_by: user })
  }

  private async evidence(
    modelId: string,
    weights: string,
    requested: string | undefined,
  ): Promise<string | null> {
    if (requested === undefined)
      return (await this.models.newestTest(modelId, weights))?.evaluation_id ?? null
    if (!(await this.models.hasEvaluation(modelId, requested)))
      throw new AppError(
        'EVALUATION_NOT_FOUND',
        atPlace('evaluation_id', phrase('model_without_evaluation', { model: modelId })),
        phrase('list_evaluations_of', { model: modelId }),
      )
    return requested
  }
}

function unknownAlias(alias: string, at?: string): AppError {
  return new AppError(
    'ALIAS_NOT_FOUND',
    at === undefined ? phrase('alias_unknown', { alias }) : phrase('alias_unknown_then', { alias, time: at }),
  )
}
