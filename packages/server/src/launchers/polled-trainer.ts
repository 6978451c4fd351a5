import type { Text } from '@medloom/contracts'
import { poll } from '../concurrency/poll.js'
import type { RunningTrainer, TrainerHandle, TrainerState } from '../ports/launcher.js'
import type { TerminalEvent } from '../ports/terminal-event.js'

export interface TrainerProbe {
  readonly handle: TrainerHandle
  /** Reads the state once. A failure counts as "unknown". */
  look(): Promise<TrainerState>
  /** Description of its end, once it is gone. */
  ending(): Text
  waitsFor?(): Text | null
  interruption?(reported: TerminalEvent | null): Text | null
  cancellation?(): Text | null
  hadNoRoom?(): boolean
  stop(): Promise<void>
  kill(): Promise<void>
}

/** A trainer whose end is not notified: its state is polled. Only "gone" counts as an end. */
export function polledTrainer(probe: TrainerProbe, pollMilliseconds = 500): RunningTrainer {
  const release = new AbortController()
  let over = false
  const state = async (): Promise<TrainerState> => {
    if (over) return 'gone'
    const seen = await probe.look().catch(() => 'unknown' as const)
    over ||= seen === 'gone'
    return seen
  }
  let resolveBegun = () => {}
  const begun = new Promise<void>((done) => {
    resolveBegun = done
  })
  const { signal } = release
  const look = async (): Promise<Text | undefined> => {
    const seen = await state()
    if (signal.aborted) return undefined
    if (seen !== 'pending' && seen !== 'unknown') resolveBegun()
    return seen === 'gone' ? probe.ending() : undefined
  }
  const gone = new Promise<Text>((done) => {
    void poll(look, { delay: () => pollMilliseconds, signal }).then((ending) => {
      if (ending !== undefined) done(ending)
    })
  })
  return {
    handle: probe.handle,
    state,
    begun,
    gone,
    waitsFor: () => probe.waitsFor?.() ?? null,
    ...(probe.interruption && { interruption: (reported) => probe.interruption?.(reported) ?? null }),
    cancellation: () => probe.cancellation?.() ?? null,
    hadNoRoom: () => probe.hadNoRoom?.() ?? false,
    stop: () => probe.stop(),
    kill: () => probe.kill(),
    release: () => release.abort(),
  }
}

/** A trainer of another launcher. It is neither treated as gone nor started again. */
export function unknownTrainer(handle: TrainerHandle): RunningTrainer {
  const unreachable = async () => {
    throw new Error(
      `the trainer was started by the launcher "${handle.launcher}", which this service does not use`,
    )
  }
  const never = new Promise<never>(() => undefined)
  return {
    handle,
    state: async () => 'unknown',
    begun: never,
    gone: never,
    stop: unreachable,
    kill: unreachable,
    release: () => undefined,
  }
}
