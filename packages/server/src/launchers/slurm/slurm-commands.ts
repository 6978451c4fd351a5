import type { Resources } from '../../ports/resources.js'
import { runCommand, SlurmRefusal } from './run-command.js'

/** A job in Slurm. */
export interface SlurmJob {
  readonly id: string
  readonly name: string
  /** RUNNING, TIMEOUT, …: `man squeue`, JOB STATE CODES. */
  readonly state: string
  /** Reason why it waits; null if it does not wait. */
  readonly reason: string | null
  /** Exit status of its batch script; null while it runs, and if it is not known. */
  readonly exit: number | null
}

/** The jobs of one user on one cluster, by the commands that every site has. */
export class SlurmCommands {
  #user = String(process.getuid?.() ?? '')

  /** @param env of the commands, in which SLURM_CONF may select the cluster. */
  constructor(readonly env: NodeJS.ProcessEnv = process.env) {}

  /** @returns the id of the job. */
  async submit(script: string, options: readonly string[]): Promise<string> {
    const answer = await this.#run('sbatch', ['--parsable', ...options, script])
    // For a named cluster, the output is "17;name".
    return answer.trim().split(';')[0] ?? ''
  }

  /** @throws SlurmRefusal with the reason for which `submit` would be refused. */
  async check(script: string, options: readonly string[]): Promise<void> {
    await this.#run('sbatch', ['--test-only', ...options, script])
  }

  /** Every job that the controller still knows: all waiting and running ones, and for some minutes those that have ended. */
  async jobs(): Promise<SlurmJob[]> {
    const format = Object.entries(WIDTHS).map(([field, width]) => `${field}:${width}`)
    const args = ['--noheader', '--states=all', `--user=${this.#user}`, `--Format=${format.join(',')}`]
    return columnsOf(await this.#run('squeue', args)).map(
      ([id = '', name = '', state = '', exit = '', reason = '']) => {
        const waits = state === 'PENDING' && reason !== '' && reason !== 'None'
        return { id, name, state, reason: waits ? reason : null, exit: exitOfWait(exit) }
      },
    )
  }

  /** From the accounting of the site; null if it has none. @param since submission time of the oldest job */
  async accounted(names: readonly string[], since: Date): Promise<SlurmJob[] | null> {
    const begin = new Date(since.getTime() - CLOCKS_MILLISECONDS).toISOString().slice(0, 10)
    const format = 'JobIDRaw,JobName,State,ExitCode'
    const args = ['-X', '-P', '-n', `--format=${format}`, `--name=${names.join(',')}`, '-S', begin]
    try {
      return linesOf(await this.#run('sacct', args)).map(([id = '', name = '', state = '', exit = '']) => ({
        id,
        name,
        // "CANCELLED by 1000"
        state: state.split(' ')[0] ?? '',
        reason: null,
        exit: exitOf(exit),
      }))
    } catch (error) {
      if (error instanceof SlurmRefusal && /accounting storage is disabled/i.test(error.message)) return null
      throw error
    }
  }

  /** Without a job of this name, nothing happens. */
  async cancel(name: string): Promise<void> {
    await this.#run('scancel', [`--user=${this.#user}`, `--name=${name}`])
  }

  /** Sends SIGTERM only to the process of the batch script. */
  async terminate(name: string): Promise<void> {
    await this.#run('scancel', ['--batch', '--signal=TERM', `--user=${this.#user}`, `--name=${name}`])
  }

  /** The nodes of a partition, or of the default one. */
  async nodes(partition: string | null): Promise<SlurmNode[]> {
    const chosen = partition === null ? [] : [`--partition=${partition}`]
    const text = await this.#run('sinfo', ['--Node', '--noheader', '--format=%N|%P|%c|%G|%T', ...chosen])
    const lines = linesOf(text)
    const isDefault = ([, name = '']: string[]) => name.endsWith('*')
    const inDefault = partition === null && lines.some(isDefault) ? lines.filter(isDefault) : lines
    const nodes = inDefault.map(([name = '', , cpus = '', gres = '', state = '']) => {
      return [name, { cpus: Number(cpus), gpus: gpusOf(gres), usable: isUsable(state) }] as const
    })
    return [...new Map(nodes).values()]
  }

  async clusterName(): Promise<string> {
    const text = await this.#run('scontrol', ['show', 'config'])
    return /^ClusterName\s*=\s*(\S+)/m.exec(text)?.[1] ?? ''
  }

  #run(program: string, args: readonly string[]): Promise<string> {
    return runCommand(program, args, this.env)
  }
}

export interface SlurmNode extends Resources {
  /** True if jobs can run there now or later today; false while it is down or drained. */
  readonly usable: boolean
}

/** This machine and the accounting may be in different time zones. */
const CLOCKS_MILLISECONDS = 2 * 86_400_000

/** Column widths in characters for the output of squeue: every version supports widths. */
const WIDTHS = { jobid: 24, name: 96, state: 24, exit_code: 24, reason: 64 }

function columnsOf(text: string): string[][] {
  const widths = Object.values(WIDTHS)
  const starts = widths.map((_, index) => widths.slice(0, index).reduce((sum, width) => sum + width, 0))
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => starts.map((from, index) => line.slice(from, from + (widths[index] ?? 0)).trim()))
}

/** squeue prints the status of wait(): 768 is exit status 3, and 9 is signal 9. */
function exitOfWait(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) >> 8 : exitOf(text)
}

/** "3:0" is exit status 3 without a signal. */
function exitOf(text: string): number | null {
  const [status] = /^\d+/.exec(text) ?? []
  return status === undefined ? null : Number(status)
}

function linesOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split('|'))
}

/** "gpu:a100:4(S:0-1),gpu:2" has 6. */
function gpusOf(gres: string): number {
  const counts = [...gres.matchAll(/(?:^|,)gpu(?::[^:,(]+)?:(\d+)/g)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Flags such as the * of a node that does not respond follow the state. */
function isUsable(state: string): boolean {
  return /^(idle|mixed|allocated|completing|planned|reserved|power(ed|ing)_(down|up))[~#!%$@^-]*$/i.test(
    state,
  )
}
