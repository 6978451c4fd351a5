import type { TrainerEvent } from '@medloom/contracts'

/** The event with which a trainer ends an attempt. */
export type TerminalEvent = Extract<TrainerEvent, { type: 'completed' | 'error' }>
