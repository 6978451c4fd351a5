/**
 * One byte string for each JSON value, and different ones for different values: every value is preceded by its type, everything of variable
 * length by its length, and keys are sorted. So `1`, `true` and `"1"` differ, and `["ab"]` is not `["a", "b"]`.
 *
 * Numbers are IEEE doubles; -0 is 0, as it is in a saved workflow; NaN and infinities are rejected. Strings are their UTF-16 code units, not
 * normalized: two encodings of "é" may be two files. Undefined members count as absent, as in JSON.
 */
export function canonical(value: unknown): Uint8Array {
  const writer = new Writer()
  write(writer, value, 0)
  return writer.bytes()
}

/** The value has no canonical form: it is not JSON, or it is nested too deeply. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical'
}

const DEEPEST = 64
const TAG = { null: 0, false: 1, true: 2, number: 3, string: 4, array: 5, object: 6 } as const

function write(writer: Writer, value: unknown, depth: number): void {
  if (depth > DEEPEST) throw new NotCanonical(`nested deeper than ${DEEPEST} levels`)
  if (value === null) writer.byte(TAG.null)
  else if (typeof value === 'boolean') writer.byte(value ? TAG.true : TAG.false)
  else if (typeof value === 'number') writeNumber(writer, value)
  else if (typeof value === 'string') {
    writer.byte(TAG.string)
    writer.string(value)
  } else if (Array.isArray(value)) writeArray(writer, value, depth)
  else if (typeof value === 'object') writeObject(writer, value as Record<string, unknown>, depth)
  else throw new NotCanonical(`a value of type ${typeof value} is not JSON`)
}

function writeNumber(writer: Writer, value: number): void {
  if (!Number.isFinite(value)) throw new NotCanonical(`${value} is not a JSON number`)
  writer.byte(TAG.number)
  writer.double(value === 0 ? 0 : value)
}

function writeArray(writer: Writer, items: readonly unknown[], depth: number): void {
  writer.byte(TAG.array)
  writer.length(items.length)
  for (let i = 0; i < items.length; i++) write(writer, items[i], depth + 1)
}

function writeObject(writer: Writer, object: Record<string, unknown>, depth: number): void {
  const prototype = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null)
    throw new NotCanonical('an instance of a class is not JSON')
  const keys = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort()
  writer.byte(TAG.object)
  writer.length(keys.length)
  for (const key of keys) {
    writer.string(key)
    write(writer, object[key], depth + 1)
  }
}

class Writer {
  private buffer = new Uint8Array(512)
  private view = new DataView(this.buffer.buffer)
  private end = 0

  byte(value: number): void {
    this.reserve(1)
    this.buffer[this.end++] = value
  }

  length(value: number): void {
    this.reserve(4)
    this.view.setUint32(this.end, value)
    this.end += 4
  }

  double(value: number): void {
    this.reserve(8)
    this.view.setFloat64(this.end, value)
    this.end += 8
  }

  string(value: string): void {
    this.length(value.length)
    this.reserve(value.length * 2)
    for (let i = 0; i < value.length; i++) {
      this.view.setUint16(this.end, value.charCodeAt(i))
      this.end += 2
    }
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.end)
  }

  private reserve(more: number): void {
    if (this.end + more <= this.buffer.length) return
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, this.end + more))
    larger.set(this.buffer)
    this.buffer = larger
    this.view = new DataView(larger.buffer)
  }
}
