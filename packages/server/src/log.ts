import pino from 'pino'
import type { Settings } from './settings.js'

/**
 * JSON lines on standard output, short lines on a terminal. Bodies, queries and patient data are never logged. Writing is synchronous, so
 * that no line is lost when the process crashes.
 */
export function createLog(
  level: Settings['logLevel'],
  terminal = process.stdout.isTTY === true,
): pino.Logger {
  const destination = terminal
    ? { write: (line: string) => void process.stdout.write(shortLine(line)) }
    : pino.destination({ fd: 1, sync: true })
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}

const LEVEL_NAMES: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

/** `12:00:00 info  request method=GET status=200`; an error is followed by its trace. */
export function shortLine(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as {
    level: number
    time: string
    msg?: string
    err?: { stack?: string }
  } & Record<string, unknown>
  const facts = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const head = [
    time.slice(11, 19),
    (LEVEL_NAMES[level] ?? level).toString().padEnd(5),
    msg ?? '',
    ...facts,
  ].join(' ')
  return `${head}${err?.stack ? `\n${err.stack}` : ''}\n`
}
