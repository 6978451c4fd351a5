import type { LocalFile } from './local-files'

/** Files of an earlier upload in a folder: relative path → size. */
export interface UploadedFolder {
  readonly folder: string
  readonly sizes: ReadonlyMap<string, number>
}

/** Completely uploaded files. A file with another size is not included: its upload reports the conflict. */
export function completelyUploaded(files: readonly LocalFile[], { sizes }: UploadedFolder): LocalFile[] {
  return files.filter(({ path, file }) => sizes.get(path) === file.size)
}

/** "data" → "data-2", "data-2" → "data-3". */
export function nextName(folder: string): string {
  const [, stem = folder, number = '1'] = /^(.*?)-(\d{1,6})$/.exec(folder) ?? []
  return `${stem}-${Number(number) + 1}`
}
