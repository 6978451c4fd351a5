import type { WorkflowMessage } from '@medloom/contracts'
import { FanOut, type Follower } from '../../training/socket/fan-out.js'

type Delta = Exclude<WorkflowMessage, { type: 'snapshot' }>
type Unnumbered<M> = M extends Delta ? Omit<M, 'seq' | 'timestamp'> : never

/** What happens to workflows, told events. Numbers are dense per workflow as long as the service runs; a snapshot says where they stand. */
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
