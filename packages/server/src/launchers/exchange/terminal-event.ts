import type { TrainerEvent } from '@medloom/contracts'

/** With which a trainer ends an attempt. */
export type TerminalEvent = Extract<TrainerEvent, { type: 'completed' | 'error' }>
