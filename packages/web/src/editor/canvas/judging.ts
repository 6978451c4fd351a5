import { createContext } from 'react'
import type { PortPlace } from '../core/candidates'
import type { Fit } from '../core/ports'

/** While a wire is drawn: where it begins, and what every other port says to it. */
export interface Judging {
  readonly from: PortPlace
  readonly fit: (to: PortPlace) => Fit
}

export const JudgingContext = createContext<Judging | null>(null)
