import { AsyncLocalStorage } from 'node:async_hooks'
import { resolve } from 'node:path'

/** Streams, environment and current folder of one command line. */
export interface Terminal {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Calls `listener` on Ctrl-C, at most once. Returns a function that removes it. */
  onInterrupt(listener: () => void): () => void
}

export interface Input extends NodeJS.ReadableStream {
  readonly isTTY?: boolean
  /** File descriptor from which "-" is read. */
  readonly fd?: number
}

export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The terminal of this process. Its streams are accessed only when they are used, because access to `process.stdin` already opens it. */
export const PROCESS_TERMINAL: Terminal = {
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return process.stdout
  },
  get stderr() {
    return process.stderr
  },
  get env() {
    return process.env
  },
  get cwd() {
    return process.cwd()
  },
  onInterrupt: (listener) => {
    process.once('SIGINT', listener)
    return () => void process.off('SIGINT', listener)
  },
}

const current = new AsyncLocalStorage<Terminal>()

/** The terminal of the running command line; that of the process unless `runCommandLine` received another one. */
export function terminal(): Terminal {
  return current.getStore() ?? PROCESS_TERMINAL
}

/** Runs `work` with a separate terminal, as needed for several command lines in one process. */
export function withTerminal<T>(own: Terminal, work: () => T): T {
  return current.run(own, work)
}

/** Absolute path of a file that is named on the command line. */
export function fromCurrentFolder(path: string): string {
  return resolve(terminal().cwd, path)
}
