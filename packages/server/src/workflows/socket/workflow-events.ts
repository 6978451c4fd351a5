import type { WorkflowMessage } from '@medloom/contracts'
import { FanOut, type Follower } from '../../training/socket/fan-out.js'

type Delta = Exclude<WorkflowMessage, { type: 'snapshot' }>
type Unnumbered<M> = M extends Delta ? Omit<M, 'seq' | 'timestamp'> : never

/** Live messages of workflows. Sequence numbers are dense per workflow while the service runs; a snapshot names the latest. */
export class WorkflowEvents {
  readonly #fanOut = new FanOut()
  readonly #last = new Map<string, number>()

  publish(message: Unnumbered<Delta>): void {
    const seq = this.seq(message.workflow_id) + 1
    this.#last.set(message.workflow_id, seq)
    if (!this.#fanOut.isWatched(message.workflow_id)) return
    const numbered = { ...message, seq, timestamp: new Date().toISOString() }
    this.#fanOut.publish(message.workflow_id, [numbered])
  }

  /** Number of the latest message. */
  seq(workflowId: string): number {
    return this.#last.get(workflowId) ?? 0
  }

  watch(workflowId: string, follower: Follower) {
    return this.#fanOut.watch(workflowId, follower)
  }
}
