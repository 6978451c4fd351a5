import { createContext } from 'react'
import type { PortRef } from '../core/connection-candidates'
import type { Compatibility } from '../core/ports'

/** Wire that is being drawn: its start, and the compatibility of every other port with it. */
export interface PendingWire {
  readonly from: PortRef
  readonly fit: (to: PortRef) => Compatibility
}

export const PendingWireContext = createContext<PendingWire | null>(null)
