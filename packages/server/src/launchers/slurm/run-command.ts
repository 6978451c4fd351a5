import { execFile } from 'node:child_process'
import { SLURM_COMMAND_MILLISECONDS } from '../../durations.js'

/** Slurm cannot be reached at the moment, or requests a retry: the effect of the command is unknown. */
export class SlurmUnreachable extends Error {}

/** Slurm has answered with a refusal. */
export class SlurmRefusal extends Error {}

const MAX_BYTES = 64 * 1024 * 1024

const UNREACHABLE = [
  /unable to contact slurm controller/i,
  /socket timed out/i,
  /connection (refused|timed out|reset)/i,
  /(communication|connection) (failure|error)/i,
  /zero bytes were transmitted/i,
  /in standby mode/i,
  /resource temporarily unavailable/i,
  /slurm temporarily unable/i,
  /failed to open persistent connection/i,
  /partition not available/i,
  // QOSMaxSubmitJobPerUserLimit, MaxSubmitJobsPerAccount: the line after it also names the limits on the size of a job.
  /(Max|Grp)SubmitJob/,
]

/** Runs a command of Slurm, never through a shell. @throws SlurmUnreachable, SlurmRefusal with the output of the command. */
export function runCommand(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const options = {
    env: environmentOf(env),
    timeout: SLURM_COMMAND_MILLISECONDS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
  } as const
  return new Promise((done, fail) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return done(stdout)
      const message = stderr.trim().split('\n').join('; ')
      if (typeof error.code === 'string')
        return fail(new SlurmUnreachable(`${program} could not be run (${error.code})`))
      if (error.killed || error.signal)
        return fail(
          new SlurmUnreachable(`${program} did not respond within ${SLURM_COMMAND_MILLISECONDS / 1000} s`),
        )
      const lost = UNREACHABLE.some((pattern) => pattern.test(message))
      fail(new (lost ? SlurmUnreachable : SlurmRefusal)(message || `${program} ended with ${error.code}`))
    })
  })
}

const NAMES = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LD_LIBRARY_PATH',
  'SLURM_CONF',
  'SLURM_CLUSTERS',
  'SLURM_JWT',
]

/** Removes variables that change the output of a command or the settings of a job, and the secrets of the service. */
function environmentOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = NAMES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))
  return { ...Object.fromEntries(entries), LC_ALL: 'C', SLURM_TIME_FORMAT: 'standard' }
}
