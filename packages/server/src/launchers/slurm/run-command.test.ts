import { expect, it } from 'vitest'
import { runCommand, SlurmRefusal, SlurmUnreachable } from './run-command.js'

/** Slurm prints this for a limit on the number of jobs as well as for one on their size. */
const POLICY =
  "Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
const failed = (...messages: string[]) =>
  runCommand('sh', ['-c', 'printf "%s\\n" "$@" >&2; exit 1', 'sh', ...messages])

it.each([
  ['QOSMaxSubmitJobPerUserLimit', POLICY],
  ['QOSGrpSubmitJobsLimit', POLICY],
  ['MaxSubmitJobsPerAccount', POLICY],
  ['AssocMaxSubmitJobLimit', POLICY],
  ['Required partition not available (inactive or drain)'],
  ['Batch job submission failed: Socket timed out on send/recv operation'],
  ['Unable to contact slurm controller (connect failure)'],
])('retries after a temporary error: %s', async (...messages) => {
  await expect(failed(...messages.map((line) => `sbatch: error: ${line}`))).rejects.toThrow(SlurmUnreachable)
})

it.each([
  ['QOSMaxCpuPerJobLimit', POLICY],
  ['QOSMaxCpuPerUserLimit', POLICY],
  ['QOSGrpCpuLimit', POLICY],
  ['QOSMaxWallDurationPerJobLimit', POLICY],
  ['QOSMinCpuNotSatisfied', POLICY],
  [POLICY],
  ['Invalid feature specification'],
])('gives up after a permanent error: %s', async (...messages) => {
  await expect(failed(...messages.map((line) => `sbatch: error: ${line}`))).rejects.toThrow(SlurmRefusal)
})
