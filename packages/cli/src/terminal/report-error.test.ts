import { PassThrough } from 'node:stream'
import { MedloomError } from '@medloom/client/node'
import type { ErrorIssue } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { reportError } from './report-error.js'
import { PROCESS_TERMINAL, withTerminal } from './terminal.js'

function reported(message: string, details: string, issues: readonly ErrorIssue[]): string {
  const stderr = new PassThrough()
  const error = new MedloomError(message, { http: 400, code: 'INVALID_CONFIG', details, issues })
  withTerminal({ ...PROCESS_TERMINAL, stderr }, () =>
    reportError(error, false, ({ path }) => `a.yaml ${path}`),
  )
  return String(stderr.read())
}

const unknown: ErrorIssue = {
  ...{ path: 'data.csv', code: 'UNKNOWN_FIELD', message: 'unknown key "csv"' },
  hint: 'Did you mean "train_csv"?',
}
const missing: ErrorIssue = { path: 'training.epochs', code: 'MISSING_FIELD', message: 'required' }

it('a message that only joins the problems is replaced by their number, and no hint is shown twice', () => {
  const joined = 'data.csv: unknown key "csv"; training.epochs: required'
  expect(reported(joined, 'Did you mean "train_csv"?', [unknown, missing]).split('\n')).toEqual([
    'error: the request has 2 problems [INVALID_CONFIG]',
    '  a.yaml data.csv  data.csv: unknown key "csv"',
    '      Did you mean "train_csv"?',
    '  a.yaml training.epochs  training.epochs: required',
    '',
  ])
})

it('a message of its own and another remedy are shown', () => {
  expect(reported('the tables changed', 'Inspect them again.', [missing]).split('\n')).toEqual([
    'error: the tables changed [INVALID_CONFIG]',
    '  a.yaml training.epochs  training.epochs: required',
    'What to do: Inspect them again.',
    '',
  ])
})
