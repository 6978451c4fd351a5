import { phrase, textOf } from '@medloom/contracts'
import { z } from 'zod'
import type { RunningTrainer, TrainerState } from '../../ports/launcher.js'
import { polledTrainer } from '../polled-trainer.js'
import { endingOf, interruptionOf, stateOf, waitsFor } from './job-view.js'
import type { SlurmCommands, SlurmJob } from './slurm-commands.js'
import type { SlurmQueue } from './slurm-queue.js'
import type { SlurmSubmission } from './slurm-submission.js'

/** The handle of a trainer that is a job of Slurm. Slurm finds it by its name, even if the answer with its number was lost. */
export const SlurmHandle = z.object({
  launcher: z.literal('slurm'),
  cluster: z.string(),
  name: z.string(),
  submitted: z.string(),
})
export type SlurmHandle = z.infer<typeof SlurmHandle>

export interface SlurmTrainerOptions {
  readonly commands: Pick<SlurmCommands, 'cancel' | 'terminate' | 'clusterName'>
  readonly queue: Pick<SlurmQueue, 'find'>
  readonly pollMilliseconds: number
}

/** @param submission by this service; an earlier service may have died while it submitted. */
export function slurmTrainer(
  handle: SlurmHandle,
  { commands, queue, pollMilliseconds }: SlurmTrainerOptions,
  submission?: SlurmSubmission,
): RunningTrainer {
  let job: SlurmJob | null = null
  let cancelled = false
  const look = async (): Promise<TrainerState> => {
    if (submission?.isPending) return 'pending'
    if (submission?.refusal) return 'gone'
    // Another cluster has no job with this name, although the trainer may be running.
    if ((await commands.clusterName()) !== handle.cluster) return 'unknown'
    const found = await queue.find(handle.name, {
      after: submission?.settledAt ?? 0,
      submitted: new Date(handle.submitted),
    })
    if (found === 'unknown') return 'unknown'
    if (found) job = found
    return found ? stateOf(found) : 'gone'
  }
  const waits = () => {
    if (submission?.isPending) return textOf(phrase('slurm_response_pending'))
    return job && waitsFor(job)
  }
  return polledTrainer(
    {
      handle,
      look,
      ending: () => submission?.refusal ?? (job ? endingOf(job) : textOf(phrase('slurm_no_record'))),
      waitsFor: waits,
      interruption: (reported) => (submission?.refusal ? null : interruptionOf(job, reported, cancelled)),
      cancellation: () =>
        job?.state === 'CANCELLED' && !cancelled ? textOf(phrase('slurm_canceled')) : null,
      stop: () => commands.terminate(handle.name),
      async kill() {
        submission?.giveUp()
        if (job && stateOf(job) === 'gone') return
        await commands.cancel(handle.name)
        cancelled = true
      },
    },
    pollMilliseconds,
  )
}
