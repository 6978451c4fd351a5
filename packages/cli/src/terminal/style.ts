import { terminal } from './terminal.js'
/** Text styles; plain if the stream is not a terminal, or if NO_COLOR or TERM=dumb is set. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

export function styleFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = terminal().env): Style {
  const colored = env.FORCE_COLOR
    ? env.FORCE_COLOR !== '0'
    : stream.isTTY && !env.NO_COLOR && env.TERM !== 'dumb'
  const wrap = (on: number, off: number) => (text: string) =>
    colored ? `\x1b[${on}m${text}\x1b[${off}m` : text
  return { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39), green: wrap(32, 39), yellow: wrap(33, 39) }
}
