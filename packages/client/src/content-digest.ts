import type { IncrementalDigest } from './sha256.js'

/** Bytes of a file that are read at once without being sent. */
const READ_BYTES = 8 * 1024 ** 2

/** Digest of a file that is read in pieces while it is sent. Bytes that are read again count once. */
export class ContentDigest {
  /** Number of bytes in the digest. */
  #length = 0

  /** @param read reads bytes of the file that are not sent, because they were stored earlier */
  constructor(
    private readonly digest: IncrementalDigest,
    private readonly read: (start: number, end: number) => Promise<Uint8Array>,
  ) {}

  /** Adds a piece that starts at this offset of the file. */
  async add(start: number, piece: Uint8Array): Promise<void> {
    await this.#extendTo(start)
    this.#append(piece.subarray(this.#length - start))
  }

  /** @returns the digest of the file, which has this size */
  async end(size: number): Promise<string> {
    await this.#extendTo(size)
    return this.digest.end()
  }

  async #extendTo(end: number): Promise<void> {
    while (this.#length < end) {
      const bytes = await this.read(this.#length, Math.min(end, this.#length + READ_BYTES))
      if (bytes.length === 0) return
      this.#append(bytes)
    }
  }

  #append(bytes: Uint8Array): void {
    this.digest.update(bytes)
    this.#length += bytes.length
  }
}
