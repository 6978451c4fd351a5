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
  /** File descriptor, from which "-" is read. */
  readonly fd?: number
}

export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The terminal of this process. Its streams are read when they are used: merely naming `process.stdin` opens it. */
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

/** The terminal of the command line that is running; that of the process unless `runCommandLine` was given another one. */
export function terminal(): Terminal {
  return current.getStore() ?? PROCESS_TERMINAL
}

/** Runs `work` with a terminal of its own, which several command lines in one process need. */
export function withTerminal<T>(own: Terminal, work: () => T): T {
  return current.run(own, work)
}

/** Absolute path of a file that was named on the command line. */
export function fromCurrentFolder(path: string): string {
  return resolve(terminal().cwd, path)
}
