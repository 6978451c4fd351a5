import { join } from 'node:path'

/** Folders of what a page browses: each file is created again on request, so that they may be trimmed. */
export function browseFolders(cache: string) {
  const folder = join(cache, 'browse')
  return {
    /** Indexes of tables. */
    tables: join(folder, 'tables'),
    images: join(folder, 'images'),
    /** Cases of evaluations. */
    cases: join(folder, 'cases'),
  }
}
