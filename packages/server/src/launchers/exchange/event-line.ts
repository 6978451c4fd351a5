import { TrainerEvent } from '@medloom/contracts'

/** One line of what a trainer writes, or null when it is not an event. */
export function parseEvent(text: string): TrainerEvent | null {
  try {
    const parsed = TrainerEvent.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
