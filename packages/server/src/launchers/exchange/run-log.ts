import { open } from 'node:fs/promises'

/** Bytes of a log from `offset`, cut between characters. A log that is not there yet is empty. */
export async function readLog(
  path: string,
  offset: number,
  limit: number,
): Promise<{ offset: number; next_offset: number; size: number; text: string }> {
  const file = await open(path).catch(() => null)
  if (!file) return { offset, next_offset: offset, size: 0, text: '' }
  try {
    const { size } = await file.stat()
    const wanted = Math.min(limit, Math.max(0, size - offset))
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, offset)
    const end = characterBoundary(buffer.subarray(0, bytesRead))
    return { offset, next_offset: offset + end, size, text: buffer.toString('utf8', 0, end) }
  } finally {
    await file.close()
  }
}

/**
 * The last Python traceback at the end of a log, as places in the code and the kind of the exception. Messages and source
 * lines are left out: they may quote values of patients.
 */
export async function readTrace(path: string): Promise<string | null> {
  const file = await open(path).catch(() => null)
  if (!file) return null
  try {
    const { size } = await file.stat()
    const length = Math.min(size, 64 * 1024)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return traceOf(buffer.toString('utf8'))
  } finally {
    await file.close()
  }
}

const HEADER =
  /^(Traceback \(most recent call last\):|Fatal Python error: [A-Za-z ]+|(Current thread|Thread) 0x)/
const FRAME = /^\s+File "([^"\n]+)", line (\d+),? in ([\w<>.]+)/
const EXCEPTION = /^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning))(?::|$)/

export function traceOf(log: string): string | null {
  const lines = log.split('\n')
  const start = lines.findLastIndex((line) => HEADER.test(line))
  if (start < 0) return null
  const kept: string[] = []
  for (const line of lines.slice(start)) {
    const frame = FRAME.exec(line)
    const exception = EXCEPTION.exec(line)
    if (HEADER.test(line)) kept.push(HEADER.exec(line)?.[0] ?? '')
    else if (frame) kept.push(`  File "${frame[1]}", line ${frame[2]}, in ${frame[3]}`)
    else if (exception?.[1]) {
      kept.push(exception[1])
      break
    }
  }
  return kept.join('\n')
}

/** Length of `bytes` without a character of UTF-8 that its end cuts in two. */
export function characterBoundary(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0b1100_0000) === 0b1000_0000) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    // A piece smaller than one character is given as it is: a reader must get on.
    return length > back && bytes.length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
