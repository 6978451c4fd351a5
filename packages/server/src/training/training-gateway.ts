import { isTerminal, type JobAnswer, type JobMessage } from '@medloom/contracts'
import type { TrainingOfNodes } from '../workflows/executors/training/training-nodes.js'
import type { FanOut, Follower } from './socket/fan-out.js'
import type { TrainingRepository } from './training.repository.js'
import type { TrainingService } from './training.service.js'

/** The training service as the nodes of a workflow use it: jobs like all others, followed from inside. */
export function trainingOfNodes(
  service: TrainingService,
  repository: TrainingRepository,
  fanOut: FanOut,
): TrainingOfNodes {
  return {
    async begin(job, within) {
      await service.begin(job, within)
    },
    async resume(jobId, within) {
      const answer = await service.resume(jobId, (transaction, accepted) =>
        within(transaction, (accepted as JobAnswer).job_id),
      )
      return answer.job_id
    },
    job: (jobId) => service.status(jobId),
    async stop(jobId) {
      await service.stop(jobId)
    },
    async follow(jobId, listener, signal) {
      while (!signal.aborted && !(await followOnce(jobId, listener, signal, repository, fanOut))) {
        // Something was published between the look at the job and joining: look again.
      }
    },
  }
}

/** True once the job has ended or the follower was called off. */
async function followOnce(
  jobId: string,
  listener: (message: JobMessage) => void,
  signal: AbortSignal,
  repository: TrainingRepository,
  fanOut: FanOut,
): Promise<boolean> {
  let ended = () => {}
  const end = new Promise<void>((done) => {
    ended = done
  })
  const follower: Follower = {
    cursor: 0,
    buffered: () => 0,
    send: (messages) => {
      for (const message of messages) listener(JSON.parse(message.toString('utf8')))
    },
    close: () => ended(),
  }
  const { join, leave } = fanOut.watch(jobId, follower)
  signal.addEventListener('abort', ended)
  try {
    const job = await repository.find(jobId)
    if (!job || isTerminal(job.status)) return true
    follower.cursor = job.last_seq
    if (!join()) return false
    await end
    return true
  } finally {
    signal.removeEventListener('abort', ended)
    leave()
  }
}
