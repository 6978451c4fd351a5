import type { TrainingGateway } from '../../../training/training-gateway.js'
import type { NodeExecutor } from '../executor.js'
import { arrivedCheckpoint } from './arrived-checkpoint.js'
import { jobOfNode } from './node-job.js'
import { planTraining } from './plan-training.js'
import { continuation, fineTuning } from './resume-plans.js'
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

/** Continues from the input checkpoint, according to its mode. */
export function resumeTraining(trainings: TrainingGateway): NodeExecutor<'ResumeTraining'> {
  return async (task, context) => {
    const arrived = await arrivedCheckpoint(task, context, trainings)
    const start = task.config.mode === 'fine_tune' ? fineTuning : continuation
    const planned = await planTraining(task, context, start(arrived, task.config))
    const job = await jobOfNode(task, context, trainings, planned)
    return {
      trained_model: await trainedModel(job, planned, context),
      training_history: await trainingHistory(job, context),
    }
  }
}
