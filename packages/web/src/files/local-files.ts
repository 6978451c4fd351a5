import type { DropItem } from 'react-aria-components'

/** A file of this computer with its path relative to the selection. */
export interface LocalFile {
  readonly file: File
  /** Parts are separated by /. */
  readonly path: string
}

/** Dropped files, including those in folders; hidden files are skipped. */
export async function droppedFiles(items: readonly DropItem[], prefix = ''): Promise<LocalFile[]> {
  const found: LocalFile[] = []
  for (const item of items) {
    if (item.kind === 'file' && isShown(item.name))
      found.push({ file: await item.getFile(), path: prefix + item.name })
    else if (item.kind === 'directory' && isShown(item.name)) {
      const entries: DropItem[] = []
      for await (const entry of item.getEntries()) entries.push(entry)
      found.push(...(await droppedFiles(entries, `${prefix}${item.name}/`)))
    }
  }
  return found
}

/** Files of an input element; files of a folder include their relative path. */
export function selectedFiles(list: FileList | null): LocalFile[] {
  return [...(list ?? [])]
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ path }) => path.split('/').every(isShown))
}

/** A folder that contains all files becomes the upload folder itself, not a folder inside it. */
export function withoutCommonFolder(files: readonly LocalFile[]): {
  readonly folder: string | null
  readonly files: readonly LocalFile[]
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
