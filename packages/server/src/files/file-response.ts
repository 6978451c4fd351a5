import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { extname } from 'node:path'
import { JOB_FILE_TYPES, OTHER_FILE_TYPE } from '@medloom/contracts'
import { Bytes } from '../http/bind.js'
import { nullIfMissing } from '../storage/null-if-missing.js'

/**
 * A file as a response in pieces, under its display name; null if it is not a regular file. An HTML page is displayed without any
 * permissions: no script, no form, no address of the service. Every other file is downloaded.
 */
export async function fileResponse(path: string, name: string, download: boolean): Promise<Bytes | null> {
  const handle = await openFile(path)
  if (!handle) return null
  const { size } = await handle.stat()
  const shownAsPage = extname(name) === '.html' && !download
  return new Bytes(
    contentOf(handle, size),
    typeOf(name),
    fileHeaders(name, size, shownAsPage ? 'inline' : 'attachment'),
  )
}

export function fileHeaders(
  name: string,
  size: number,
  disposition: 'inline' | 'attachment',
): Record<string, string> {
  return {
    'content-length': String(size),
    'content-disposition': `${disposition}; filename*=UTF-8''${encodeURIComponent(name)}`,
    'content-security-policy': PAGE_POLICY,
  }
}

const PAGE_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A regular file; null for everything else, which must not block the service. */
async function openFile(path: string): Promise<FileHandle | null> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
  const handle = await nullIfMissing(open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW))
  if (!handle || (await handle.stat()).isFile()) return handle
  await handle.close()
  return null
}

/** Up to its current size: a log may grow meanwhile. */
function contentOf(handle: FileHandle, size: number) {
  return handle.createReadStream({ start: 0, end: Math.max(size - 1, 0) })
}

export function typeOf(name: string): string {
  const ending = extname(name).slice(1)
  return ending in JOB_FILE_TYPES ? JOB_FILE_TYPES[ending as keyof typeof JOB_FILE_TYPES] : OTHER_FILE_TYPE
}
