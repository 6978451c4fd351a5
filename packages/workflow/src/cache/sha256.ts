/** A digest over bytes, as lower-case hex. The service may pass in a native one. */
export type Hash = (bytes: Uint8Array) => string

/** SHA-256 (FIPS 180-4) without a platform: the engine computes keys at once, in a browser as in the service. */
export const sha256: Hash = (bytes) => {
  const state = Uint32Array.from(INITIAL)
  const words = new Uint32Array(64)
  const padded = pad(bytes)
  for (let start = 0; start < padded.length; start += 64) compress(state, words, padded, start)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** The message, one bit, zeros, and its length in bits as 64-bit big-endian. */
function pad(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0)
  return padded
}

function compress(state: Uint32Array, words: Uint32Array, block: Uint8Array, start: number): void {
  const view = new DataView(block.buffer, block.byteOffset + start, 64)
  for (let t = 0; t < 16; t++) words[t] = view.getUint32(t * 4)
  for (let t = 16; t < 64; t++) {
    const w15 = at(words, t - 15)
    const w2 = at(words, t - 2)
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
    words[t] = at(words, t - 16) + s0 + at(words, t - 7) + s1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const choose = (e & f) ^ (~e & g)
    const t1 = (h + s1 + choose + at(ROUND, t) + at(words, t)) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + s0 + majority) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = at(state, i) + (added[i] ?? 0)
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

function at(words: Uint32Array, index: number): number {
  return words[index] as number
}

/** The first 32 fractional bits of the cube roots of the first 64 primes, and of the square roots of the first eight. */
const PRIMES = firstPrimes(64)
const ROUND = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)))
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32)
}

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return primes
}
