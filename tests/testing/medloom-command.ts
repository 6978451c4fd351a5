import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { runCommandLine, type Terminal } from '@medloom/cli'
import { REPOSITORY } from './service.js'

/** A command line that runs in this process. */
export interface RunningCommand {
  /** Its output so far. */
  output(): string
  /** Ctrl-C. */
  interrupt(): void
  readonly ended: Promise<Ended>
}

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** `medloom …` called like from a script: no terminal, no color. */
export class MedloomCommand {
  constructor(
    readonly folder: string,
    private readonly env: Record<string, string>,
  ) {}

  /** The installed program in a separate process, for features that need one: signals and the exit. */
  start(args: string[], env: Record<string, string> = {}): ChildProcess {
    return spawn(process.execPath, [join(REPOSITORY, 'packages/cli/bin/medloom.js'), ...args], {
      cwd: this.folder,
      env: { ...this.#environment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /** The same command line in this process, much faster than starting Node.js. */
  run = (...args: string[]): Promise<Ended> => this.begin(...args).ended

  /** Like `run`, for a command that the test observes or interrupts before its end. */
  begin = (...args: string[]): RunningCommand => {
    const [stdout, stderr] = [new Recorded(), new Recorded()]
    const interrupted = new Set<() => void>()
    const terminal: Terminal = {
      stdin: new PassThrough().end(),
      stdout,
      stderr,
      env: this.#environment(),
      cwd: this.folder,
      onInterrupt: (handler) => {
        interrupted.add(handler)
        return () => interrupted.delete(handler)
      },
    }
    return {
      output: () => stdout.text,
      interrupt: () => {
        for (const handler of interrupted) handler()
      },
      ended: runCommandLine([process.execPath, 'medloom', ...args], terminal).then((code) => ({
        code,
        stdout: stdout.text,
        stderr: stderr.text,
      })),
    }
  }

  #environment(): NodeJS.ProcessEnv {
    return { ...process.env, FORCE_COLOR: '', ...this.env }
  }
}

/** A stream that records what is written to it. */
class Recorded extends PassThrough {
  text = ''

  override write(piece: string | Uint8Array): boolean {
    this.text += piece
    return true
  }
}

/** Output and exit code of the command, once it has ended. */
export async function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}
