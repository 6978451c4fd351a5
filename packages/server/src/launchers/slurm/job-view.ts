import type { TrainerState } from '../../ports/launcher.js'
import type { TerminalEvent } from '../../ports/terminal-event.js'
import { BEGUN_ELSEWHERE, NOT_WRITABLE } from './batch-script.js'
import type { SlurmJob } from './slurm-commands.js'

/** States of a job that is not over. All others are ends. */
const STATES: Readonly<Record<string, TrainerState>> = {
  PENDING: 'pending',
  CONFIGURING: 'pending',
  REQUEUED: 'pending',
  REQUEUE_FED: 'pending',
  REQUEUE_HOLD: 'pending',
  RESV_DEL_HOLD: 'pending',
  SPECIAL_EXIT: 'pending',
  RUNNING: 'running',
  COMPLETING: 'running',
  STAGE_OUT: 'running',
  RESIZING: 'running',
  SIGNALING: 'running',
  STOPPED: 'suspended',
  SUSPENDED: 'suspended',
}

/** Ends that nobody requested and that the training did not cause. */
const INTERRUPTIONS: Readonly<Record<string, string>> = {
  TIMEOUT: 'its time limit in Slurm was reached',
  PREEMPTED: 'Slurm preempted it for another job',
  NODE_FAIL: 'its node failed',
  BOOT_FAIL: 'its node failed to boot',
}

const REASONS: Readonly<Record<string, string>> = {
  Resources: 'for free resources',
  Priority: 'for jobs with a higher priority',
  Dependency: 'for another job of the same name',
  BeginTime: 'for its start time',
  JobHeldUser: 'because it is held; release it with scontrol release',
  JobHeldAdmin: 'because an administrator holds it',
  PartitionTimeLimit: 'because its time limit exceeds that of the partition; reduce --slurm-time',
  ReqNodeNotAvail: 'for a node that is not available',
}

export function stateOf({ state }: SlurmJob): TrainerState {
  return STATES[state] ?? 'gone'
}

/** Reason why a job waits, as text. */
export function waitsFor({ reason }: SlurmJob): string | null {
  if (reason === null) return null
  const words = REASONS[reason]
  if (words !== undefined) return `waits in Slurm ${words} (${reason})`
  return /^(QOS|Assoc|Max)/.test(reason)
    ? `waits in Slurm for a limit of the account (${reason})`
    : `waits in Slurm (${reason})`
}

export function endingOf({ id, state, exit }: SlurmJob): string {
  const code = exit === null ? '' : `, exit code ${exit}`
  return `Slurm job ${id}: ${state}${code}${remedyOf(state, exit)}`
}

function remedyOf(state: string, exit: number | null): string {
  if (state === 'OUT_OF_MEMORY') return '; increase the memory of a training with --slurm-memory'
  if (exit === NOT_WRITABLE) return '; its node cannot write to the run directory, see --site-root'
  return ''
}

/**
 * Reason why Slurm ended a job that is gone; null if it did not. A trainer that was stopped by a signal ends its job as completed: the
 * service did not request this, so Slurm did, before the time limit or for another job.
 * @param job null: Slurm does not know it, for example because a controller has lost unsaved data
 * @param cancelled true if this service canceled it because it did not end after its report
 */
export function interruptionOf(
  job: SlurmJob | null,
  reported: TerminalEvent | null,
  cancelled: boolean,
): string | null {
  const stopped = reported?.type === 'completed' && reported.status === 'stopped'
  if (job === null) return cancelled ? null : 'Slurm has no record of its outcome'
  if (job.exit === BEGUN_ELSEWHERE && reported === null) return 'Slurm requeued it'
  if (job.state in INTERRUPTIONS) return INTERRUPTIONS[job.state] ?? null
  if (stopped && (job.state === 'COMPLETED' || cancelled))
    return 'Slurm requested its end, as before a time limit'
  return null
}
