import { AppError } from '../../../errors.js'
import { verifyCheckpoint } from '../../../storage/checkpoints.js'
import { MANIFEST } from '../../../storage/run-directory.js'
import type { TrainingGateway } from '../../../training/training-gateway.js'
import { contentAt, type NodeExecutor } from '../executor.js'
import { jobOfNode } from './node-job.js'
import { planTraining } from './plan-training.js'
import { bestCheckpoint, trainedModel, trainingHistory } from './training-results.js'

export function trainModel(trainings: TrainingGateway): NodeExecutor<'TrainModel'> {
  return async (task, context) => {
    const planned = await planTraining(task, context)
    const job = await jobOfNode(task, context, trainings, planned)
    return {
      trained_model: await trainedModel(job, planned, context),
      training_history: await trainingHistory(job, context),
      best_checkpoint: await bestCheckpoint(job, task.node, context),
    }
  }
}

/** Continues the job of a checkpoint where it ended, for as many further epochs as its configuration has. */
export function resumeTraining(trainings: TrainingGateway): NodeExecutor<'ResumeTraining'> {
  return async (task, context) => {
    const given = contentAt(task, 'checkpoint_path', 'files')
    const manifest = given?.files.find(({ path }) => path.endsWith(MANIFEST))
    if (!manifest) throw new AppError('CHECKPOINT_NOT_FOUND', 'Input checkpoint_path is not a checkpoint')
    const { job_id } = JSON.parse((await context.store.read(manifest.blob)).toString('utf8'))
    const before = await trainings.job(String(job_id))
    const { epoch } = await verifyCheckpoint(context.service.folder.run(before.job_id).checkpoint('last'))
    const planned = await planTraining(task, context, {
      job: before,
      epoch,
      epochs: epoch + before.config.training.epochs,
    })
    const job = await jobOfNode(task, context, trainings, planned)
    return {
      trained_model: await trainedModel(job, planned, context),
      training_history: await trainingHistory(job, context),
    }
  }
}
