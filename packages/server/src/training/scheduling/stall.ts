import {
  asValue,
  fieldsOf,
  phrase,
  type Stalled,
  type Text,
  type TrainerHeartbeat,
  textOf,
} from '@medloom/contracts'
import { FIRST_HEARTBEAT_SECONDS } from '../../durations.js'
import type { TrainerState } from '../../ports/launcher.js'
import { systemFault } from '../../system-fault.js'

/** One check of a trainer that has started. */
export interface Look {
  readonly state: TrainerState
  readonly heartbeat: TrainerHeartbeat | null
  /** Bytes of its events that were read. */
  readonly eventsRead: number
  /** Seconds of a monotonic clock: a suspended laptop does not count as stalled. */
  readonly seconds: number
  /** The time of day, ISO 8601. */
  readonly time: string
}

/** A debugger or a shell can suspend a process for a moment. */
const SUSPENDED_LOOKS = 2

/**
 * Reason that a running job shows while a fault of the machine prevents access to its files; null if the error is not such a fault, or the
 * job already shows the reason.
 */
export function stalledByFault(error: unknown, before: Stalled | null): Stalled | null {
  const fault = systemFault(error)
  if (!fault) return null
  const { code, text, remedy: details } = fault
  const remedy = textOf(
    phrase('fault_and_remedy', {
      code,
      message: asValue(text),
      remedy: asValue(details),
    }),
  )
  if (remedy.english === before?.remedy) return null
  return {
    since: new Date().toISOString(),
    ...fieldsOf('doing', textOf(phrase('doing_waiting_for_files'))),
    ...fieldsOf('remedy', remedy),
  }
}

/**
 * Detects whether training has stalled. The trainer reports how long a step may take, based on measured steps. Without a heartbeat, from a
 * trainer of an older version, only its events could show progress, and nothing is concluded from their absence.
 */
export class Stall {
  #moved = ''
  #movedAt = 0
  #suspendedLooks = 0
  #first = true

  /** @param stalled state stored by an earlier service. */
  constructor(private stalled: Stalled | null = null) {}

  /** @returns the reason why training counts as stalled; null when it advances. */
  see(look: Look): Stalled | null {
    const { heartbeat, eventsRead, seconds, time } = look
    const mark = `${heartbeat?.steps} ${eventsRead}`
    if (mark !== this.#moved) {
      if (!this.#first) this.stalled = null
      this.#moved = mark
      this.#movedAt = seconds
      this.#first = false
    }
    this.#suspendedLooks = look.state === 'suspended' ? this.#suspendedLooks + 1 : 0
    const silent = seconds - this.#movedAt
    const remedy = this.#remedy(look, silent)
    const doing = heartbeat
      ? { english: heartbeat.doing, phrases: heartbeat.doing_phrases }
      : textOf(phrase('doing_starting'))
    const since = heartbeat?.at ?? new Date(Date.parse(time) - silent * 1000).toISOString()
    if (remedy !== null && remedy.english !== this.stalled?.remedy)
      this.stalled = { since, ...fieldsOf('doing', doing), ...fieldsOf('remedy', remedy) }
    return this.stalled
  }

  #remedy({ heartbeat, eventsRead }: Look, silent: number): Text | null {
    if (this.#suspendedLooks >= SUSPENDED_LOOKS) {
      return textOf(
        heartbeat
          ? phrase('named_process_suspended', { process: heartbeat.process })
          : phrase('process_suspended'),
      )
    }
    const patience = heartbeat?.patience_seconds ?? (eventsRead === 0 ? FIRST_HEARTBEAT_SECONDS : Infinity)
    if (silent <= patience) return null
    return textOf(phrase('check_stalled'))
  }
}
