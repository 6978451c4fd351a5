import { after, type Phrase, type PhraseCode, phrase, type Text, textOf } from '@medloom/contracts'
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

type WaitCode = Extract<PhraseCode, `slurm_waits${string}`>

/** Ends that nobody requested and that the training did not cause. */
const INTERRUPTIONS: Readonly<Record<string, PhraseCode>> = {
  TIMEOUT: 'slurm_time_limit',
  PREEMPTED: 'slurm_preempted',
  NODE_FAIL: 'slurm_node_failed',
  BOOT_FAIL: 'slurm_boot_failed',
}

const REASONS: Readonly<Record<string, WaitCode>> = {
  Resources: 'slurm_waits_resources',
  Priority: 'slurm_waits_priority',
  Dependency: 'slurm_waits_name',
  BeginTime: 'slurm_waits_time',
  JobHeldUser: 'slurm_waits_held',
  JobHeldAdmin: 'slurm_waits_administrator',
  PartitionTimeLimit: 'slurm_waits_partition',
  ReqNodeNotAvail: 'slurm_waits_node',
}

export function stateOf({ state }: SlurmJob): TrainerState {
  return STATES[state] ?? 'gone'
}

export function waitsFor({ reason }: SlurmJob): Text | null {
  if (reason === null) return null
  const limit = /^(QOS|Assoc|Max)/.test(reason) ? 'slurm_waits_limit' : 'slurm_waits'
  return textOf(phrase(REASONS[reason] ?? limit, { reason }))
}

export function endingOf({ id, state, exit }: SlurmJob): Text {
  return textOf([
    phrase('slurm_ended', { id, state }),
    ...(exit === null ? [] : [phrase('exit_code', { code: String(exit) })]),
    ...remedyOf(state, exit).map((remedy) => after('semicolon', remedy)),
  ])
}

function remedyOf(state: string, exit: number | null): Phrase[] {
  if (state === 'OUT_OF_MEMORY') return [phrase('slurm_memory')]
  if (exit === NOT_WRITABLE) return [phrase('slurm_not_writable')]
  return []
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
): Text | null {
  const code = interruptionCode(job, reported, cancelled)
  return code && textOf({ code })
}

function interruptionCode(
  job: SlurmJob | null,
  reported: TerminalEvent | null,
  cancelled: boolean,
): PhraseCode | null {
  const stopped = reported?.type === 'completed' && reported.status === 'stopped'
  if (job === null) return cancelled ? null : 'slurm_no_outcome'
  if (job.exit === BEGUN_ELSEWHERE && reported === null) return 'slurm_requeued'
  if (job.state in INTERRUPTIONS) return INTERRUPTIONS[job.state] ?? null
  if (stopped && (job.state === 'COMPLETED' || cancelled)) return 'slurm_requested_end'
  return null
}
