import { chmodSync, lstatSync, mkdirSync } from 'node:fs'

/**
 * Create a folder for this user only, or use one that this user created before. In a shared location another user could have created it, to
 * read and change its files.
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
