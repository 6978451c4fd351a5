import { EventReference, runPath, TrainerEvent } from '@medloom/contracts'

/** Parses one line of a trainer; null when it is not an event. */
export function parseEvent(text: string): TrainerEvent | null {
  try {
    const parsed = TrainerEvent.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** Parses a line that refers to the file of its event; null for an event that is contained in its line. */
export function parseReference(text: string): EventReference | null {
  // Few lines are references, and every line passes through here.
  if (!text.includes('"payload"')) return null
  try {
    const { data } = EventReference.safeParse(JSON.parse(text))
    const { attempt, payload } = data ?? {}
    // A name in another format could lead out of the run directory.
    const isOurs =
      payload?.file === runPath('event_payload', { attempt: attempt ?? 0, sha256: payload?.sha256 ?? '' })
    return data && isOurs && /^[0-9a-f]{64}$/.test(data.payload.sha256) ? data : null
  } catch {
    return null
  }
}
