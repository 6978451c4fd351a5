import type { DropItem } from 'react-aria-components'

/** A file of this computer with its path relative to the selection. */
export interface ChosenFile {
  readonly file: File
  /** Parts are separated by /. */
  readonly path: string
}

/** Dropped files, including those in folders; hidden files are skipped. */
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

/** Files of an input element; files of a folder include their relative path. */
export function filesOf(list: FileList | null): ChosenFile[] {
  return [...(list ?? [])]
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ path }) => path.split('/').every(isShown))
}

/** A folder that contains all files becomes the upload folder itself, not a folder inside it. */
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
