import { plainValues } from './plain-values.js'
import { terminal } from './terminal.js'

export interface OutputOptions {
  readonly json?: boolean
}

export function printLine(text: string): void {
  terminal().stdout.write(`${text}\n`)
}

/** Print one JSON document. */
export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2))
}

/** Print one line of a stream of JSON documents. */
export function printJsonLine(value: unknown): void {
  printLine(JSON.stringify(value))
}

/** Print a response: unchanged with --json, otherwise as text without control characters of its values. */
export function print<T>(options: OutputOptions, value: T, show: (value: T) => string): void {
  if (options.json) printJson(value)
  else printLine(show(plainValues(value)))
}
