/** Complete lines of a stream; calls `take` once with undefined when a line exceeds the limit of a response. */
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

/** Limit of one response; the curves and predictions of a large evaluation are far smaller. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024
