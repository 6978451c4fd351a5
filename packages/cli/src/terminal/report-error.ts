import { MedloomError } from '@medloom/client/node'
import { counted, ERRORS, type ErrorIssue, faultNamed } from '@medloom/contracts'
import { CommanderError } from 'commander'
import { exitCodeOf, UsageError } from '../exit-codes.js'
import { plainValues } from './plain-values.js'
import { type Style, styleFor } from './style.js'
import { terminal } from './terminal.js'

/** Write an error to stderr (code, place, hint, remedy; JSON with --json); returns its exit status. */
export function reportError(
  error: unknown,
  json: boolean,
  placeOf: (issue: { path: string }) => string | null,
): number {
  const exitCode = exitCodeOf(error)
  // Commander has already written its help and, without --json, its errors.
  if (error instanceof CommanderError && (!json || exitCode === 0)) return exitCode
  const facts = factsOf(error)
  if (json) {
    terminal().stderr.write(`${JSON.stringify({ ...facts, exit_code: exitCode })}\n`)
    return exitCode
  }
  const style = styleFor(terminal().stderr)
  const shown = plainValues(facts)
  const { issues = [] } = shown
  const lines = [`${style.red('error:')} ${headlineOf(shown.error, issues)} ${style.dim(`[${shown.code}]`)}`]
  for (const issue of issues) lines.push(issueLines(issue, placeOf, style))
  const isHint = issues.some(({ hint }) => hint === shown.details)
  if (shown.details && !isHint) lines.push(`${style.dim('What to do:')} ${shown.details}`)
  if (shown.request_id) lines.push(style.dim(`request ${shown.request_id}`))
  terminal().stderr.write(`${lines.join('\n')}\n`)
  return exitCode
}

/** The message, unless it only joins the messages of the problems, which follow with their places. */
function headlineOf(message: string, issues: readonly ErrorIssue[]): string {
  const isRepeated = issues.length > 0 && issues.every((issue) => message.includes(issue.message))
  return isRepeated ? `the request has ${counted(issues.length, 'problem')}` : message
}

/** One problem: its place, its message, and the hint on the next line. */
export function issueLines(
  issue: ErrorIssue,
  placeOf: (issue: { path: string }) => string | null,
  style: Style,
): string {
  const place = placeOf(issue)
  const line = `  ${place ? `${place}  ` : ''}${style.bold(issue.path || 'request')}: ${issue.message}`
  return issue.hint ? `${line}\n      ${issue.hint}` : line
}

function factsOf(error: unknown) {
  if (error instanceof MedloomError)
    return {
      error: error.message,
      code: error.code,
      details: error.details,
      ...(error.issues.length > 0 ? { issues: error.issues } : {}),
      ...(error.requestId ? { request_id: error.requestId } : {}),
    }
  if (error instanceof CommanderError)
    return { error: error.message.replace(/^error: /, ''), code: 'USAGE', details: 'See medloom --help.' }
  if (error instanceof UsageError)
    return {
      error: error.message,
      code: 'USAGE',
      details: error.remedy,
      ...(error.issues.length > 0 ? { issues: error.issues } : {}),
    }
  const fault = error instanceof Error && faultNamed((error as NodeJS.ErrnoException).code ?? '')
  if (fault) return { error: error.message, code: fault.code, details: ERRORS[fault.code].remedy }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return {
    error: text,
    code: 'DEFECT',
    details: 'This is a bug in medloom. Report it with the lines above.',
  }
}
