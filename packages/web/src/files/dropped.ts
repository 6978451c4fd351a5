import type { DropItem } from 'react-aria-components'

/** A file of this computer, and its place below what was chosen. */
export interface ChosenFile {
  readonly file: File
  /** With / between its parts. */
  readonly path: string
}

/** Files that were dropped, also those in folders; hidden ones are left out. */
export async function filesIn(items: readonly DropItem[], above = ''): Promise<ChosenFile[]> {
  const found: ChosenFile[] = []
  for (const item of items) {
    if (item.kind === 'file' && isShown(item.name))
      found.push({ file: await item.getFile(), path: above + item.name })
    else if (item.kind === 'directory' && isShown(item.name)) {
      const inside: DropItem[] = []
      for await (const entry of item.getEntries()) inside.push(entry)
      found.push(...(await filesIn(inside, `${above}${item.name}/`)))
    }
  }
  return found
}

/** Files of an input; those of a folder say their place in it. */
export function filesOf(list: FileList | null): ChosenFile[] {
  return [...(list ?? [])]
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ path }) => path.split('/').every(isShown))
}

/** A folder that all of them are in is the folder of the upload, not one more in it. */
export function withoutCommonFolder(files: readonly ChosenFile[]): {
  readonly folder: string | null
  readonly files: readonly ChosenFile[]
} {
  const [first = ''] = files[0]?.path.split('/') ?? []
  if (first === '' || !files.every(({ path }) => path.startsWith(`${first}/`))) return { folder: null, files }
  return {
    folder: first,
    files: files.map(({ file, path }) => ({ file, path: path.slice(first.length + 1) })),
  }
}

function isShown(name: string): boolean {
  return name !== '' && !name.startsWith('.')
}
