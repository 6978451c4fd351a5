import type { ChosenFile } from './dropped'

/** What an earlier upload has left in a folder of the uploads: path in it → size. */
export interface There {
  readonly folder: string
  readonly sizes: ReadonlyMap<string, number>
}

/** Files that are there whole. One that is there with another size is none of them: sending it says so. */
export function whole(files: readonly ChosenFile[], { sizes }: There): ChosenFile[] {
  return files.filter(({ path, file }) => sizes.get(path) === file.size)
}

/** "data" → "data-2", "data-2" → "data-3". */
export function nextName(folder: string): string {
  const [, stem = folder, number = '1'] = /^(.*?)-(\d{1,6})$/.exec(folder) ?? []
  return `${stem}-${Number(number) + 1}`
}
