import { CARD_FILES, type CardFormat, JOB_FILE_TYPES } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { DatasetsRepository } from '../datasets/datasets.repository.js'
import { Bytes } from '../http/bind.js'
import { writeModelCard } from '../reports/run-reports.js'
import { ModelsRepository, unknownModel } from './models.repository.js'
import type { TrainingPort } from './training-port.js'

/** Model cards, written from the runs of the models. */
export class ModelCards {
  private readonly models: ModelsRepository
  private readonly datasets: DatasetsRepository

  constructor(
    private readonly context: Pick<ServiceContext, 'database' | 'folder'>,
    private readonly training: Pick<TrainingPort, 'job'>,
  ) {
    this.models = new ModelsRepository(context.database)
    this.datasets = new DatasetsRepository(context.database)
  }

  /** @param name id or alias. @throws AppError MODEL_NOT_FOUND */
  async get(name: string, format: CardFormat): Promise<Bytes> {
    const model = await this.models.find(name)
    if (!model) throw unknownModel()
    const job = await this.training.job(model.job_id)
    const datasetTexts = await this.datasets.textsOf(job.config.data.train_csv)
    const runDir = this.context.folder.run(job.job_id).path
    const card = await writeModelCard({ model, job, runDir, datasetTexts }, format)
    return new Bytes(Buffer.from(card), JOB_FILE_TYPES.md, {
      'content-disposition': `attachment; filename="${CARD_FILES[format]}"`,
    })
  }
}
