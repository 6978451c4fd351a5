/** What tests and soaks have made that outlives a process: folders, services, mounted disks. */
const made = new Set<() => void>()

/** @returns to be called when it is gone: nothing is left to be undone then. */
export function undoLater(undo: () => void): () => void {
  made.add(undo)
  return () => void made.delete(undo)
}

/** Undo what is left, the newest first. */
export function undoAll(): void {
  for (const undo of [...made].reverse())
    try {
      undo()
    } catch (error) {
      console.error(`left behind: ${String(error)}`)
    }
  made.clear()
}
