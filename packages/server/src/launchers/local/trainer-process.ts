import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { isAlive, type ProcessIdentity, signalFamily } from './process-identity.js'

/** The process that trains a job: a child of this service, or one that an earlier service left behind. */
export interface TrainerProcess {
  readonly identity: ProcessIdentity
  /** Resolves once the process is gone; with its exit code or signal where they are known. Never rejects. */
  readonly gone: Promise<string>
  /** To the whole family: the process group and everything the process started. */
  signal(signal: NodeJS.Signals): Promise<void>
  /** Stop watching; the process goes on. */
  release(): void
}

/** A child of this service. Its end is noticed at once. */
export function ownProcess(child: ChildProcess, identity: ProcessIdentity): TrainerProcess {
  const ended = child.exitCode !== null || child.signalCode !== null
  const gone = (
    ended
      ? Promise.resolve()
      : once(child, 'exit').then(
          () => undefined,
          () => undefined,
        )
  ).then(() => (child.signalCode ? `killed by ${child.signalCode}` : `exit code ${child.exitCode}`))
  return { identity, gone, signal: (signal) => signalFamily(identity, signal), release: () => child.unref() }
}

/** A process that another service started: polled, since only a parent is told of an end. */
export function adoptedProcess(identity: ProcessIdentity, pollMilliseconds = 500): TrainerProcess {
  let released = false
  let timer: NodeJS.Timeout | undefined
  const gone = new Promise<string>((done) => {
    const look = async () => {
      if (released) return
      if (!(await isAlive(identity))) return done('its exit code is not known')
      timer = setTimeout(look, pollMilliseconds)
      timer.unref()
    }
    void look()
  })
  return {
    identity,
    gone,
    signal: (signal) => signalFamily(identity, signal),
    release: () => {
      released = true
      clearTimeout(timer)
    },
  }
}
