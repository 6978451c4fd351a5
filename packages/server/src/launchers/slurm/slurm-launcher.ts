import { chmod, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { phrase } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { BoundedMap } from '../../concurrency/bounded-map.js'
import { memoizeSuccess } from '../../concurrency/memoize-success.js'
import { AppError } from '../../errors.js'
import type {
  Capacity,
  Launcher,
  RecordHandle,
  RunningTrainer,
  TrainerHandle,
  TrainerOrder,
} from '../../ports/launcher.js'
import type { SlurmSettings } from '../../ports/slurm-settings.js'
import { RunDirectory } from '../../storage/run-directory.js'
import { unknownTrainer } from '../polled-trainer.js'
import { optionsOf } from './batch-options.js'
import { batchScript } from './batch-script.js'
import { SlurmRefusal } from './run-command.js'
import { SlurmCommands } from './slurm-commands.js'
import { SlurmQueue } from './slurm-queue.js'
import { SlurmSubmission } from './slurm-submission.js'
import { SlurmHandle, slurmTrainer } from './slurm-trainer.js'

export interface SlurmLauncherOptions {
  readonly settings: SlurmSettings
  /** The Python interpreter with the trainer, on the nodes. */
  readonly python: string
  readonly maxJobs: number | null
  readonly run: (jobId: string) => RunDirectory
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly env?: NodeJS.ProcessEnv
}

/** An attempt is never submitted again after its end, except immediately by a caller that did not see the end. */
const MAX_KNOWN = 10_000

/** Trainers as jobs of Slurm. */
export class SlurmLauncher implements Launcher {
  readonly isCluster = true
  readonly #commands: SlurmCommands
  readonly #queue: SlurmQueue
  readonly #pollMilliseconds: number
  readonly #submitted = new BoundedMap<string, Promise<RunningTrainer | null>>(MAX_KNOWN)

  constructor(readonly options: SlurmLauncherOptions) {
    this.#commands = new SlurmCommands(options.env)
    this.#pollMilliseconds = options.settings.pollSeconds * 1000
    this.#queue = new SlurmQueue({ commands: this.#commands, pollMilliseconds: this.#pollMilliseconds })
  }

  /** The capacity of the partition without other users: Slurm queues jobs that wait for those. */
  async capacity(): Promise<Capacity> {
    const nodes = await this.#commands.nodes(this.options.settings.partition)
    const usable = nodes.filter((node) => node.usable)
    const sum = (kind: 'cpus' | 'gpus') => usable.reduce((all, node) => all + node[kind], 0)
    const cluster = { cpus: sum('cpus'), gpus: sum('gpus'), nodes }
    return { accelerators: [], maxJobs: this.options.maxJobs, cluster }
  }

  async submit(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null> {
    const name = nameOf(order)
    const known = this.#submitted.get(name)
    if (known) return known
    const submission = this.#submit(order, record)
    this.#submitted.set(name, submission)
    try {
      const trainer = await submission
      if (!trainer) this.#submitted.delete(name)
      return trainer
    } catch (error) {
      this.#submitted.delete(name)
      throw error
    }
  }

  attach(handle: TrainerHandle): RunningTrainer {
    const own = SlurmHandle.safeParse(handle)
    return own.success ? this.#trainer(own.data) : unknownTrainer(handle)
  }

  start(): void {}

  close(): void {}

  /** A job that Slurm would refuse is refused before there is a handle. From then on only Slurm knows its state. */
  async #submit(order: TrainerOrder, record: RecordHandle): Promise<RunningTrainer | null> {
    const name = nameOf(order)
    const commands = this.#commands
    const script = await this.#writeScript(order)
    const output = runOnNode(order)?.batchLog(order.attempt) ?? '/dev/null'
    const options = optionsOf(order, name, this.options.settings, output)
    const cluster = await this.#check(script, options)
    const submitted = new Date().toISOString()
    const handle: SlurmHandle = { launcher: 'slurm', cluster, name, submitted }
    if (!(await record(handle, 'pending'))) return null
    const isThere = async (after: number) => {
      const found = await this.#queue.find(name, { after, submitted: new Date(submitted) })
      return found === 'unknown' ? found : found !== null
    }
    const submission = new SlurmSubmission({
      submit: () => commands.submit(script, options),
      isThere,
      log: this.options.log,
      retryMilliseconds: this.#pollMilliseconds,
    })
    return this.#trainer(handle, submission)
  }

  /** @returns the name of the cluster. @throws AppError SLURM_REFUSED, CLUSTER_UNREACHABLE */
  async #check(script: string, options: readonly string[]): Promise<string> {
    try {
      await this.#commands.check(script, options).catch((error) => this.#unlessNodesAreLost(error))
      return await this.#clusterName()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (error instanceof SlurmRefusal)
        throw new AppError('SLURM_REFUSED', phrase('slurm_rejects', { reason }))
      throw new AppError('CLUSTER_UNREACHABLE', phrase('slurm_not_accepting', { reason }))
    }
  }

  /** If nodes are down, or have not yet answered a restarted controller, a job may fit once they return: it waits in Slurm. */
  async #unlessNodesAreLost(error: unknown): Promise<void> {
    const unfit = error instanceof SlurmRefusal && /node configuration is not available/i.test(error.message)
    const nodes = unfit ? await this.#commands.nodes(this.options.settings.partition) : []
    if (nodes.every(({ usable }) => usable)) throw error
  }

  readonly #clusterName = memoizeSuccess((): Promise<string> => this.#commands.clusterName())

  #trainer(handle: SlurmHandle, submission?: SlurmSubmission): RunningTrainer {
    const { cancel, terminate } = this.#commands
    const commands = {
      cancel: cancel.bind(this.#commands),
      terminate: terminate.bind(this.#commands),
      clusterName: () => this.#clusterName(),
    }
    const pollMilliseconds = this.#pollMilliseconds
    return slurmTrainer(handle, { commands, queue: this.#queue, pollMilliseconds }, submission)
  }

  async #writeScript(order: TrainerOrder): Promise<string> {
    const path = this.options.run(order.job_id).batchScript(order.attempt)
    const claim = runOnNode(order)?.batchClaim(order.attempt) ?? null
    await writeFile(path, batchScript({ order, python: this.options.python, claim }), { mode: 0o600 })
    await chmod(path, 0o600)
    return path
  }
}

/**
 * Its nodes may have the run at another path than the service. Null for nodes without a shared folder: they fetch their order with a token
 * for this attempt.
 */
function runOnNode({ spec, token }: TrainerOrder): RunDirectory | null {
  return token === undefined ? new RunDirectory(dirname(spec)) : null
}

function nameOf({ job_id, attempt }: TrainerOrder): string {
  return `medloom-${job_id}-${attempt}`
}
