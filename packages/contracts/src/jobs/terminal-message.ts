import type { JobMessage } from './events.js'

/** Reports whether a message is the last of its job. */
export function isTerminalMessage(message: Pick<JobMessage, 'type'>): boolean {
  return message.type === 'completed' || message.type === 'error'
}
