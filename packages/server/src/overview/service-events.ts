import { randomUUID } from 'node:crypto'
import type { ServiceMessage } from '@medloom/contracts'
import { LiveMessages } from '../live/live-messages.js'

export type ServiceDelta = Exclude<ServiceMessage, { type: 'snapshot' }>

/** Number of messages kept for clients that reconnect: minutes of a usual day, seconds while hundreds of jobs run. */
const KEPT = 4000
/** Single channel: there is only one service. */
const SERVICE = ''

/** Live messages of the whole service. */
export class ServiceEvents extends LiveMessages<ServiceDelta> {
  /** Id of the stream; another stream starts its own numbering. */
  readonly stream = randomUUID()

  constructor() {
    super(() => SERVICE, KEPT)
  }

  get isWatched(): boolean {
    return this.watched(SERVICE)
  }

  /** Messages after message `since` of this stream; null if some of them are no longer kept. */
  since(seq: number) {
    return this.after(SERVICE, seq)
  }

  /** Changes are not followed for a while: clients that reconnect cannot receive the missed messages. */
  interrupt(): void {
    this.forget(SERVICE)
  }
}
