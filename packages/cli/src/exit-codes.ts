import { MedloomError } from '@medloom/client/node'
import { type ErrorIssue, faultNamed } from '@medloom/contracts'
import { CommanderError } from 'commander'

/** Meaning of the exit status of a command. Scripts may rely on these numbers. */
export const EXIT = {
  ok: 0,
  failed: 1,
  badInput: 2,
  unreachable: 3,
  notFound: 4,
  refused: 5,
  stopped: 6,
  defect: 70,
  interrupted: 130,
} as const

/** Exit status → meaning; the help and the reference page list it. */
export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  [EXIT.ok]:
    'success (jobs watch: the job completed; study run: every training completed; workflow run: every node succeeded)',
  [EXIT.failed]:
    'the job, study or run failed, the service or the machine (for example a full disk) failed, or doctor found a failure',
  [EXIT.badInput]: 'invalid usage, input that the service rejected, or an error found by workflow check',
  [EXIT.unreachable]: 'the service cannot be reached or did not respond in time',
  [EXIT.notFound]: 'no such job, study, model, dataset or workflow',
  [EXIT.refused]: 'the service requires a token, or the token is invalid or lacks permission',
  [EXIT.stopped]: 'the job or study was stopped, or the run was canceled',
  [EXIT.defect]: 'a defect in medloom itself',
  [EXIT.interrupted]: 'interrupted by Ctrl-C (a followed job, study or run continues)',
}

export const EXIT_HELP = [
  'Exit status:',
  ...Object.entries(EXIT_MEANINGS).map(([status, meaning]) => `  ${status.padStart(3)}  ${meaning}`),
].join('\n')

/** Wrong usage that commander cannot detect: a file that cannot be read, an ambiguous id. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
    readonly exitCode: number = EXIT.badInput,
    readonly issues: readonly ErrorIssue[] = [],
  ) {
    super(message)
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return error.exitCode
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput
  if (!(error instanceof MedloomError))
    return faultNamed((error as NodeJS.ErrnoException | null)?.code ?? '') ? EXIT.failed : EXIT.defect
  if (error.code === 'ABORTED') return EXIT.interrupted
  if (error.http === 0 || error.code === 'INVALID_RESPONSE') return EXIT.unreachable
  if (error.http === 404) return EXIT.notFound
  if ([401, 403].includes(error.http) || error.code.startsWith('FORBIDDEN_')) return EXIT.refused
  return error.http >= 500 ? EXIT.failed : EXIT.badInput
}
