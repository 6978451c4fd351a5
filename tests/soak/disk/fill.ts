import { closeSync, openSync, writeSync } from 'node:fs'

/** Creates a file that takes all the remaining space. */
export function fill(path: string): string {
  const file = openSync(path, 'w')
  try {
    for (let size = 1 << 20; size >= 1; ) {
      try {
        if (writeSync(file, Buffer.alloc(size, 1)) < size) size >>= 4
      } catch {
        size >>= 4
      }
    }
  } finally {
    closeSync(file)
  }
  return path
}
