import { StartError } from '../errors.js'

/** Settings for jobs of Slurm. */
export interface SlurmSettings {
  /** null: the default of the site; this also applies to the next three settings. */
  readonly partition: string | null
  readonly account: string | null
  readonly qos: string | null
  /** In the format of sbatch: 90 (minutes), 4:00:00, 1-12:00:00. */
  readonly time: string | null
  /** Memory of each node, in the format of sbatch: 16G. */
  readonly memory: string | null
  /** Seconds before its time limit at which a trainer is requested to save its checkpoint and end. */
  readonly graceSeconds: number
  /** Further options of sbatch. */
  readonly options: readonly string[]
  readonly pollSeconds: number
}

/** Seconds; Slurm itself may act up to a minute early. */
export const GRACE_SECONDS = 120
export const POLL_SECONDS = 5

export const SLURM_DEFAULTS: SlurmSettings = {
  partition: null,
  account: null,
  qos: null,
  time: null,
  memory: null,
  graceSeconds: GRACE_SECONDS,
  options: [],
  pollSeconds: POLL_SECONDS,
}

const NAME = /^[\w.,+-]+$/
const TIME = /^(\d+(:\d\d){0,2}|\d+-\d+(:\d\d){0,2})$/
const MEMORY = /^\d+[KMGT]?$/
const OPTION = /^--[a-z][a-z-]*(=[\w.,:;@%+*/&|()[\]=-]+)?$/

/** Options of sbatch that other flags of the service set. */
const OWN_OPTIONS: Readonly<Record<string, string>> = {
  partition: '--slurm-partition',
  account: '--slurm-account',
  qos: '--slurm-qos',
  time: '--slurm-time',
  mem: '--slurm-memory',
  signal: '--slurm-grace',
  ...Object.fromEntries(
    [
      'array',
      'batch',
      'chdir',
      'clusters',
      'cpus-per-task',
      'dependency',
      'error',
      'export',
      'export-file',
      'get-user-env',
      'gres',
    ]
      .concat([
        'gpus',
        'gpus-per-node',
        'gpus-per-task',
        'hold',
        'input',
        'job-name',
        'no-requeue',
        'nodes',
        'ntasks',
      ])
      .concat(['ntasks-per-node', 'open-mode', 'output', 'parsable', 'requeue', 'test-only', 'wait', 'wrap'])
      .map((name) => [name, 'the service itself']),
  ),
}

/** @throws StartError naming the flag that is wrong. */
export function readName(flag: string, text: string | undefined): string | null {
  return matched(flag, text, NAME, 'Use the name as in Slurm.')
}

export function readTime(text: string | undefined): string | null {
  return matched(
    'slurm-time',
    text,
    TIME,
    'Use minutes, hours:minutes:seconds or days-hours, such as 90, 4:00:00 or 1-12.',
  )
}

export function readMemory(text: string | undefined): string | null {
  return matched('slurm-memory', text, MEMORY, 'Use megabytes, or a number with K, M, G or T, such as 16G.')
}

/** Splits a text into options of sbatch, without a shell. */
export function readOptions(text: string | undefined): string[] {
  const words = text?.split(/\s+/).filter(Boolean) ?? []
  for (const word of words) {
    if (!OPTION.test(word))
      throw new StartError(
        `--slurm-options contains "${word}"`,
        'Use long options of sbatch with = before the value, such as --constraint=a100 --exclusive.',
      )
    const name = word.slice(2).split('=')[0] ?? ''
    const owner = OWN_OPTIONS[name]
    if (owner)
      throw new StartError(
        `--slurm-options contains "${word}"`,
        `Remove it, because ${owner} sets this option.`,
      )
  }
  return words
}

function matched(flag: string, text: string | undefined, pattern: RegExp, remedy: string): string | null {
  if (text === undefined) return null
  if (pattern.test(text)) return text
  throw new StartError(`--${flag} is "${text}"`, remedy)
}
