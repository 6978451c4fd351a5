import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../errors.js'
import { childEnvironment } from '../../worker/environment.js'
import type { RunningTrainer } from '../launcher.js'
import { identify, MARK_VARIABLE, type ProcessIdentity } from './process-identity.js'
import { ownProcess } from './trainer-process.js'

/** A trainer that has done its imports and waits for a job. */
export interface ReadyTrainer {
  readonly trainer: RunningTrainer
  /** Hand the job over: the absolute path of spec.json. */
  begin(specPath: string): void
  /** Not needed after all: it exits without having trained. */
  dismiss(): void
}

export interface PrewarmedTrainerOptions {
  readonly python: string
  /** Absolute; the output of a trainer before it has a job. A file, since a pipe would break with this service. */
  readonly logFile: string
  /** How long a job that starts is left alone before the next trainer does its imports. */
  readonly respawnMilliseconds?: number
}

/** Keeps one trainer ready: starting a job then takes milliseconds, not the seconds of importing PyTorch. */
export class PrewarmedTrainer {
  #ready: Spawned | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(readonly options: PrewarmedTrainerOptions) {}

  /** Start the imports now. A failure shows when a job is to start. */
  warm(): void {
    if (this.#closed || this.#ready) return
    const spawned = spawnTrainer(this.options)
    this.#ready = spawned
    for (const event of ['exit', 'error'])
      spawned.child.once(event, () => {
        if (this.#ready === spawned) this.#ready = undefined
      })
  }

  /**
   * The prewarmed trainer, or one started now when there is none; another gets ready a little later.
   * @throws AppError PYTHON_UNAVAILABLE when no process can be started.
   */
  async take(): Promise<ReadyTrainer> {
    const prewarmed = this.#ready
    this.#ready = undefined
    if (!this.#closed) {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.warm(), this.options.respawnMilliseconds ?? 5000)
      this.#timer.unref()
    }
    return (prewarmed && (await stillReady(prewarmed))) ?? (await startNow(this.options))
  }

  /** The trainer that has no job exits; trainings go on. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#ready?.child.stdin?.destroy()
    this.#ready = undefined
  }
}

interface Spawned {
  readonly child: ChildProcess
  readonly mark: string
  readonly started: Promise<Error | null>
}

function spawnTrainer({ python, logFile }: PrewarmedTrainerOptions): Spawned {
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openSync(logFile, 'a')
  const mark = randomUUID()
  try {
    const child = spawn(python, ['-m', 'medloom_trainer', 'prewarmed'], {
      // A session of its own: neither Ctrl-C nor the end of this service reaches it.
      detached: true,
      stdio: ['pipe', log, log],
      env: { ...childEnvironment(), [MARK_VARIABLE]: mark },
    })
    // A trainer that died does not read; its end is noticed by other means.
    child.stdin?.on('error', () => undefined)
    child.unref()
    const started = new Promise<Error | null>((done) => {
      child.once('spawn', () => done(null))
      child.once('error', done)
    })
    return { child, mark, started }
  } finally {
    closeSync(log)
  }
}

async function startNow(options: PrewarmedTrainerOptions): Promise<ReadyTrainer> {
  const spawned = spawnTrainer(options)
  const failure = await spawned.started
  if (failure)
    throw new AppError(
      'PYTHON_UNAVAILABLE',
      `the interpreter could not be started: ${(failure as NodeJS.ErrnoException).code ?? 'unknown'}`,
    )
  return readyTrainer(spawned, (await identityOf(spawned)) ?? neverSeen(spawned))
}

async function stillReady(spawned: Spawned): Promise<ReadyTrainer | undefined> {
  if (await spawned.started) return undefined
  const identity = await identityOf(spawned)
  return identity ? readyTrainer(spawned, identity) : undefined
}

/** Null when the process is gone. One that cannot be identified is never given a job: it could not be found again. */
async function identityOf({ child, mark }: Spawned): Promise<ProcessIdentity | null> {
  try {
    return child.pid === undefined ? null : await identify(child.pid, mark)
  } catch (error) {
    child.stdin?.destroy()
    throw error
  }
}

/** A process that ended within its first moment: there is no start time to be read any more. */
function neverSeen({ child, mark }: Spawned): ProcessIdentity {
  return { pid: child.pid ?? 0, started: 'never seen', boot: 'never seen', mark }
}

function readyTrainer({ child }: Spawned, identity: ProcessIdentity): ReadyTrainer {
  return {
    trainer: ownProcess(child, { launcher: 'local', ...identity }),
    begin: (specPath) => child.stdin?.end(`${specPath}\n`),
    dismiss: () => child.stdin?.destroy(),
  }
}
