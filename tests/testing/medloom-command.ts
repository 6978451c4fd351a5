import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { runCommandLine, type Terminal } from '@medloom/cli'
import { REPOSITORY } from './service.js'

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** `medloom …` as a script would call it: no terminal, no color. */
export class MedloomCommand {
  constructor(
    readonly folder: string,
    private readonly env: Record<string, string>,
  ) {}

  /** The installed program in a process of its own, for what only a process has: signals, and its own end. */
  start(args: string[], env: Record<string, string> = {}): ChildProcess {
    return spawn(process.execPath, [join(REPOSITORY, 'packages/cli/bin/medloom.js'), ...args], {
      cwd: this.folder,
      env: { ...this.#environment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /** The same command line in this process, in a fraction of the time that Node.js needs to start. */
  run = async (...args: string[]): Promise<Ended> => {
    const [stdout, stderr] = [new Recorded(), new Recorded()]
    const terminal: Terminal = {
      stdin: new PassThrough().end(),
      stdout,
      stderr,
      env: this.#environment(),
      cwd: this.folder,
      onInterrupt: () => () => {},
    }
    const code = await runCommandLine([process.execPath, 'medloom', ...args], terminal)
    return { code, stdout: stdout.text, stderr: stderr.text }
  }

  #environment(): NodeJS.ProcessEnv {
    return { ...process.env, FORCE_COLOR: '', ...this.env }
  }
}

/** A stream that keeps what is written to it. */
class Recorded extends PassThrough {
  text = ''

  override write(piece: string | Uint8Array): boolean {
    this.text += piece
    return true
  }
}

/** What the command printed and its exit code, when it has ended. */
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
