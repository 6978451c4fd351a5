import { lstat, open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FileEntry, FolderListing } from '@medloom/contracts'
import { forEachLimit } from '../concurrency/for-each-limit.js'
import { readOffset, tokenAfter } from '../http/pagination.js'
import { DATA_ROOT } from '../security/named-roots.js'
import type { Roots } from '../security/roots.js'
import { isInside } from '../storage/is-inside.js'

const LOOKS_AT_ONCE = 16

/** Contents of the folders that requests may name: nothing outside of them is ever shown, not even through a link. */
export class Folders {
  constructor(private readonly roots: Roots) {}

  /** @throws AppError PATH_NOT_ALLOWED, FILE_NOT_FOUND, INVALID_PAGE_TOKEN */
  async list(requested: string | undefined, size: number, token: string | undefined): Promise<FolderListing> {
    const offset = readOffset(token)
    if (requested === undefined) {
      const named = this.roots.named.filter(({ name }) => name !== DATA_ROOT)
      const shown = named.map(({ name, folder }) => ({ name, path: folder }))
      return { path: null, parent: null, ...(await pageOf(shown, offset, size)) }
    }
    const path = await this.roots.resolve(requested, 'path', 'folder')
    const above = dirname(path)
    return {
      path,
      parent: isInside(this.roots.folders, above) && above !== path ? above : null,
      ...(await pageOf(await this.#namesIn(path), offset, size)),
    }
  }

  /** Sorted: folders first, then by name. */
  async #namesIn(folder: string): Promise<{ name: string; path: string; isFolder: boolean }[]> {
    const found: { name: string; path: string; isFolder: boolean }[] = []
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory() || entry.isFile())
        found.push({ name: entry.name, path, isFolder: entry.isDirectory() })
      else if (entry.isSymbolicLink()) {
        const target = await this.#targetOf(path)
        if (target) found.push({ name: entry.name, ...target })
      }
    }
    return found.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1))
  }

  /** The target of a link; undefined: outside the roots, missing, or neither a file nor a folder. */
  async #targetOf(link: string): Promise<{ path: string; isFolder: boolean } | undefined> {
    const path = await realpath(link).catch(() => undefined)
    if (path === undefined || !isInside(this.roots.folders, path)) return undefined
    const found = await stat(path)
    return found.isFile() || found.isDirectory() ? { path, isFolder: found.isDirectory() } : undefined
  }
}

async function pageOf(
  all: readonly { name: string; path: string }[],
  offset: number,
  size: number,
): Promise<Pick<FolderListing, 'entries' | 'total' | 'next_page_token'>> {
  const items = all.slice(offset, offset + size)
  const entries: (FileEntry | null)[] = items.map(() => null)
  await forEachLimit(LOOKS_AT_ONCE, [...items.entries()], async ([index, { path, name }]) => {
    entries[index] = await entryOf(path, name)
  })
  // Entries that were removed meanwhile are left out.
  return {
    entries: entries.filter((entry) => entry !== null),
    total: all.length,
    next_page_token: tokenAfter(offset, size, all.length),
  }
}

async function entryOf(path: string, name: string): Promise<FileEntry | null> {
  const found = await lstat(path).catch(() => null)
  if (!found) return null
  const isFolder = found.isDirectory()
  return {
    name,
    path,
    kind: isFolder ? 'folder' : await kindOf(path, name.toLowerCase()),
    size_bytes: isFolder ? null : found.size,
    modified_at: found.mtime.toISOString(),
  }
}

const KINDS: readonly (readonly [kind: FileEntry['kind'], ending: RegExp])[] = [
  ['table', /\.(csv|xlsx|json)$/],
  ['image', /\.(png|jpe?g|tiff?|bmp)$/],
  ['dicom', /\.(dcm|dicom)$/],
  ['nifti', /\.nii(\.gz)?$/],
]

async function kindOf(path: string, name: string): Promise<FileEntry['kind']> {
  const known = KINDS.find(([, ending]) => ending.test(name))
  if (known) return known[0]
  // Hospital archives use numbers as names of DICOM files.
  return /^[^.]+$|\.\d+$/.test(basename(name)) && (await isDicom(path)) ? 'dicom' : 'other'
}

/** Length of the preamble and of the mark after it. */
const DICOM_BYTES = 132
const DICOM_WITHOUT_PREAMBLE = '\u0002\0\0\0UL\u0004\0'

async function isDicom(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined)
  if (!file) return false
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(DICOM_BYTES), 0, DICOM_BYTES, 0)
    const begin = buffer.toString('latin1', 0, bytesRead)
    return begin.slice(128) === 'DICM' || begin.startsWith(DICOM_WITHOUT_PREAMBLE)
  } finally {
    await file.close()
  }
}
