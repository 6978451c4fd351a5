/** So many changes arrive in a moment that each of them would otherwise be a reading. */
const GATHER_MILLISECONDS = 100

/**
 * Reads what is named once for all that is told within a moment, and never before the reading before has ended, which it would end unheard.
 *
 * @param read what reads one of them again.
 */
export function gathered<Name>(read: (name: Name) => Promise<unknown>): (...names: readonly Name[]) => void {
  /** What is about to be read, or is read right now. true: something has changed that the reading may not know of. */
  const busy = new Map<Name, boolean>()
  const readUntilNew = async (name: Name) => {
    busy.set(name, true)
    while (busy.get(name)) {
      await new Promise((resume) => setTimeout(resume, GATHER_MILLISECONDS))
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
