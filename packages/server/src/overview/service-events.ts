import { randomUUID } from 'node:crypto'
import type { ServiceMessage } from '@medloom/contracts'
import { LiveMessages } from '../http/live-messages.js'

export type ServiceDelta = Exclude<ServiceMessage, { type: 'snapshot' }>

/** Messages that are kept for those who come back: minutes of a usual day, seconds while hundreds of jobs run. */
const KEPT = 4000
/** There is one service. */
const SERVICE = ''

/** Live messages of the whole service. */
export class ServiceEvents extends LiveMessages<ServiceDelta> {
  /** Another one counts anew. */
  readonly stream = randomUUID()

  constructor() {
    super(() => SERVICE, KEPT)
  }

  get isWatched(): boolean {
    return this.watched(SERVICE)
  }

  /** What follows message `since` of this stream; null where not all of it is kept. */
  since(seq: number) {
    return this.after(SERVICE, seq)
  }

  /** Changes are not followed for a while: nobody who was there before can be told what he missed. */
  interrupt(): void {
    this.forget(SERVICE)
  }
}
