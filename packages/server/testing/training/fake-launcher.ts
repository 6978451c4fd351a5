import { polledTrainer, unknownTrainer } from '../../src/launchers/polled-trainer.js'
import type {
  Capacity,
  Launcher,
  RecordHandle,
  RunningTrainer,
  TrainerHandle,
  TrainerOrder,
  TrainerState,
} from '../../src/ports/launcher.js'

const POLL_MILLISECONDS = 2

/** Trainers in memory whose states a test determines. It survives the services of a test, like a cluster. */
export class FakeLauncher implements Launcher {
  isCluster = false
  /** Result of capacity(), or the reason for its failure. */
  room: Capacity | Error = { accelerators: [], maxJobs: null }
  /** True if new trainers wait to be started. */
  queues = false
  /** True if it may interrupt its trainers, like a cluster with time limits. */
  interrupts = false
  /** Reason why no trainer can be started. */
  refusal: Error | null = null
  readonly trainers = new Map<string, FakeTrainer>()

  async capacity(): Promise<Capacity> {
    if (this.room instanceof Error) throw this.room
    return this.room
  }

  async submit(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null> {
    const id = `${order.job_id}-${order.attempt}`
    const known = this.trainers.get(id)
    if (known) return this.attach(known.handle)
    if (this.refusal) throw this.refusal
    const trainer = new FakeTrainer(order, { launcher: 'fake', id })
    const state = this.queues ? 'pending' : 'running'
    if (!(await record(trainer.handle, state))) return null
    trainer.state = state
    this.trainers.set(id, trainer)
    return this.attach(trainer.handle)
  }

  attach(handle: TrainerHandle): RunningTrainer {
    if (handle.launcher !== 'fake') return unknownTrainer(handle)
    const trainer = this.trainers.get(String(handle.id))
    return polledTrainer(
      {
        handle,
        look: async () => trainer?.look() ?? 'gone',
        ending: () => ({ english: 'it was ended by the test' }),
        waitsFor: () => reported(trainer?.waitsFor),
        cancellation: () => reported(trainer?.cancellation),
        ...(this.interrupts && { interruption: () => reported(trainer?.interruption) }),
        stop: async () => trainer?.receive('stop'),
        kill: async () => trainer?.receive('kill'),
      },
      POLL_MILLISECONDS,
    )
  }

  start(): void {}
  close(): void {}

  /** The trainer of an attempt. */
  trainer(jobId: string, attempt = 1): FakeTrainer {
    const trainer = this.trainers.get(`${jobId}-${attempt}`)
    if (!trainer) throw new Error(`nothing was submitted for attempt ${attempt} of ${jobId}`)
    return trainer
  }
}

export class FakeTrainer {
  state: TrainerState = 'pending'
  /** Number of times that its state was read. */
  looks = 0
  /** Reason for its wait, according to its launcher. */
  waitsFor: string | null = null
  /** Reason why its launcher ended it. */
  interruption: string | null = null
  /** Description of a cancellation by a person in its launcher. */
  cancellation: string | null = null
  /** True if its launcher cannot end it while it waits. */
  isKept = false
  readonly received: ('stop' | 'kill')[] = []

  constructor(
    readonly order: TrainerOrder,
    readonly handle: TrainerHandle,
  ) {}

  look(): TrainerState {
    this.looks += 1
    return this.state
  }

  receive(request: 'stop' | 'kill'): void {
    if (this.state === 'unknown') throw new Error('the launcher cannot be reached')
    this.received.push(request)
    if (request === 'kill' && !(this.isKept && this.state === 'pending')) this.state = 'gone'
  }
}

const reported = (english: string | null | undefined) => (english ? { english } : null)
