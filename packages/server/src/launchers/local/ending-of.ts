import { phrase, type Text, textOf } from '@medloom/contracts'

/** How a process ended. */
export function endingOf(code: number | null, signal: NodeJS.Signals | null): Text {
  return textOf(signal ? phrase('killed_by', { signal }) : phrase('exit_code', { code: String(code) }))
}
