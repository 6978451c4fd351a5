/** A digest that is computed piece by piece. */
export interface IncrementalDigest {
  update(bytes: Uint8Array): void
  /** Hexadecimal digest of all bytes; called once, at the end. */
  end(): string
}

const BLOCK = 64

/** SHA-256 (FIPS 180-4). A browser has it only for complete data, and only on pages that were loaded over HTTPS or from its own machine. */
export class Sha256 implements IncrementalDigest {
  readonly #state = Uint32Array.from(INITIAL)
  readonly #schedule = new Uint32Array(BLOCK)
  readonly #rest = new Uint8Array(BLOCK)
  #length = 0

  update(bytes: Uint8Array): void {
    let start = 0
    const filled = this.#length % BLOCK
    this.#length += bytes.length
    if (filled > 0) {
      start = Math.min(BLOCK - filled, bytes.length)
      this.#rest.set(bytes.subarray(0, start), filled)
      if (filled + start < BLOCK) return
      this.#compress(this.#rest, 0)
    }
    for (; start + BLOCK <= bytes.length; start += BLOCK) this.#compress(bytes, start)
    this.#rest.set(bytes.subarray(start))
  }

  end(): string {
    const bits = BigInt(this.#length) * 8n
    const filled = this.#length % BLOCK
    const padding = new Uint8Array((filled < BLOCK - 8 ? BLOCK : 2 * BLOCK) - filled)
    padding[0] = 0x80
    new DataView(padding.buffer).setBigUint64(padding.length - 8, bits)
    this.update(padding)
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('')
  }

  #compress(bytes: Uint8Array, start: number): void {
    const words = this.#schedule
    const view = new DataView(bytes.buffer, bytes.byteOffset + start, BLOCK)
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(4 * i)
    for (let i = 16; i < 64; i++) {
      const [near, far] = [words[i - 2] as number, words[i - 15] as number]
      const mixedFar = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3)
      const mixedNear = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10)
      words[i] = mixedNear + (words[i - 7] as number) + mixedFar + (words[i - 16] as number)
    }
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as EightWords
    for (let i = 0; i < 64; i++) {
      const mixedE = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      const chosen = (e & f) ^ (~e & g)
      const added = (h + mixedE + chosen + (ROUNDS[i] as number) + (words[i] as number)) | 0
      const mixedA = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      const majority = (a & b) ^ (a & c) ^ (b & c)
      h = g
      g = f
      f = e
      e = (d + added) | 0
      d = c
      c = b
      b = a
      a = (added + mixedA + majority) | 0
    }
    const mixed = [a, b, c, d, e, f, g, h]
    for (let i = 0; i < 8; i++) this.#state[i] = (this.#state[i] as number) + (mixed[i] as number)
  }
}

type EightWords = [number, number, number, number, number, number, number, number]

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

const PRIMES = firstPrimes(64)
/** The first 32 bits of the fractions of the square roots of the first 8 primes. */
const INITIAL = PRIMES.slice(0, 8).map((prime) => fractionOf(Math.sqrt(prime)))
/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
const ROUNDS = Uint32Array.from(PRIMES, (prime) => fractionOf(Math.cbrt(prime)))

function fractionOf(root: number): number {
  return Math.floor((root % 1) * 2 ** 32)
}

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let number = 2; primes.length < count; number++)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  return primes
}
