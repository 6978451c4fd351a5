/** Resources of tests and soaks that outlive a process: folders, services, mounted disks. */
const made = new Set<() => void>()

/** @returns function to call when the resource is released and needs no cleanup. */
export function registerCleanup(undo: () => void): () => void {
  made.add(undo)
  return () => void made.delete(undo)
}

/** Releases the remaining resources, the latest first. */
export function runCleanups(): void {
  for (const undo of [...made].reverse())
    try {
      undo()
    } catch (error) {
      console.error(`left behind: ${String(error)}`)
    }
  made.clear()
}
