import { chmodSync, lstatSync, mkdirSync } from 'node:fs'

/**
 * Make a folder for this user alone, or take one that this user made before. In a shared place somebody else could have made it, to read
 * and change what is stored there.
 * @throws Error when it is a link or belongs to another user
 */
export function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory()) throw new Error(`${path} is not a folder`)
  const user = process.geteuid?.()
  if (user === undefined) return path
  if (found.uid !== user) throw new Error(`${path} belongs to user ${found.uid}`)
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700)
  return path
}
