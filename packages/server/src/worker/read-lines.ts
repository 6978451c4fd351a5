/** Whole lines of a stream; undefined once, when a line is longer than any response may be. */
export function readLines(stream: NodeJS.ReadableStream, take: (line: string | undefined) => void): void {
  let pieces: string[] = []
  let length = 0
  let overflown = false
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    if (overflown) return
    const lines = chunk.split('\n')
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      take(pieces.join('') + line)
      pieces = []
      length = 0
    }
    pieces.push(rest)
    length += rest.length
    if (length > MAX_LINE_CHARACTERS) {
      overflown = true
      pieces = []
      take(undefined)
    }
  })
}

/** One response; the curves and predictions of a large evaluation are far smaller. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024
