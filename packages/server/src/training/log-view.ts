import type { LogMatches } from '@medloom/contracts'
import type { LogPiece, RunExchange } from '../ports/run-exchange.js'

type Log = Pick<RunExchange, 'log'>

/** A log has a few megabytes at most (trainer/src/medloom_trainer/exchange/run_log.py), so reading all of it is fast. */
const PIECE_BYTES = 1_048_576
/** Maximum number of characters shown of a matching line. */
const SHOWN = 500

/** The last lines of a log, up to the size of one piece. */
export async function tailOf(exchange: Log, lines: number): Promise<LogPiece> {
  const { size } = await exchange.log(Number.MAX_SAFE_INTEGER, 1)
  const start = Math.max(0, size - PIECE_BYTES)
  const piece = await exchange.log(start, PIECE_BYTES)
  const found = linesOf(piece.text)
  const begun = start > 0 && piece.offset === start
  const text = (begun ? found.slice(1) : found).slice(-lines).join('')
  return { ...piece, offset: piece.next_offset - Buffer.byteLength(text), text }
}

/** The first `limit` lines that contain a text. */
export async function findIn(
  exchange: Log,
  { q, ignore_case, limit }: { readonly q: string; readonly ignore_case: boolean; readonly limit: number },
): Promise<Pick<LogMatches, 'matches' | 'more' | 'size'>> {
  const normalized = (text: string) => (ignore_case ? text.toLowerCase() : text)
  const wanted = normalized(q)
  const matches: LogMatches['matches'] = []
  let size = 0
  for await (const line of linesIn(exchange)) {
    size = line.size
    if (!normalized(line.text).includes(wanted)) continue
    if (matches.length === limit) return { matches, more: true, size }
    matches.push({ offset: line.offset, line: line.number, text: line.text.slice(0, SHOWN) })
  }
  return { matches, more: false, size }
}

interface Line {
  /** Text without its line break. */
  readonly text: string
  readonly offset: number
  /** Line number, from 1, within the part of the log that is kept. */
  readonly number: number
  readonly size: number
}

/** Every line of the kept log, including incomplete lines at its start or end. */
async function* linesIn(exchange: Log): AsyncGenerator<Line> {
  let number = 0
  let rest = ''
  let restAt = 0
  for (let index = 0; ; ) {
    const piece = await exchange.log(index, PIECE_BYTES)
    const { offset, next_offset, size } = piece
    const gap = offset > index
    if (rest !== '' && (gap || piece.text === '' || rest.length > PIECE_BYTES)) {
      yield { text: rest, offset: restAt, number: ++number, size }
      rest = ''
    }
    if (piece.text === '') return
    if (rest === '') restAt = offset
    const lines = linesOf(rest + piece.text)
    rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '')
    for (const line of lines) {
      yield { text: line.slice(0, -1), offset: restAt, number: ++number, size }
      restAt += Buffer.byteLength(line)
    }
    index = next_offset
  }
}

/** Lines with their line breaks. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
