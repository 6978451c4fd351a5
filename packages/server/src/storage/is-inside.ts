import { sep } from 'node:path'

/** The separator matters: /data/patients-old is not inside /data/patients. */
export function isInside(folders: readonly string[], path: string): boolean {
  return folders.some(
    (folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep),
  )
}
