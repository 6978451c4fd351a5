import { COALESCE_MILLISECONDS } from '../durations'

/**
 * Combines all notifications of a short time into one read per name. A read never starts before the previous one of the same name has
 * ended, because it would cancel that one.
 *
 * @param read reads one name again.
 */
export function coalesce<Name>(read: (name: Name) => Promise<unknown>): (...names: readonly Name[]) => void {
  /** Names with a pending or active read. true: something has changed since that read started. */
  const busy = new Map<Name, boolean>()
  const readUntilNew = async (name: Name) => {
    busy.set(name, true)
    while (busy.get(name)) {
      await new Promise((resume) => setTimeout(resume, COALESCE_MILLISECONDS))
      busy.set(name, false)
      await read(name).catch(() => undefined)
    }
    busy.delete(name)
  }
  return (...names) => {
    for (const name of names)
      if (busy.has(name)) busy.set(name, true)
      else void readUntilNew(name)
  }
}
