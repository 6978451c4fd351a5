import type { Blob } from '@medloom/contracts'

/** Every file of the artifact store to which a value refers, at any depth. */
export function referencedBlobs(value: unknown): Blob[] {
  const blobs = new Map<string, Blob>()
  const visit = (inner: unknown): void => {
    if (inner === null || typeof inner !== 'object') return
    const { sha256, suffix, size_bytes } = inner as Partial<Blob>
    if (typeof sha256 === 'string' && typeof suffix === 'string' && typeof size_bytes === 'number') {
      blobs.set(sha256 + suffix, { sha256, suffix, size_bytes })
      return
    }
    for (const part of Object.values(inner)) visit(part)
  }
  visit(value)
  return [...blobs.values()]
}
