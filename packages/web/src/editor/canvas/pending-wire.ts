import { createContext } from 'react'
import type { PortPlace } from '../core/candidates'
import type { Fit } from '../core/ports'

/** Wire that is being drawn: its start, and the compatibility of every other port with it. */
export interface PendingWire {
  readonly from: PortPlace
  readonly fit: (to: PortPlace) => Fit
}

export const PendingWireContext = createContext<PendingWire | null>(null)
