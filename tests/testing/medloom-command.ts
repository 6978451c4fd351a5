import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { REPOSITORY } from './service.js'

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** `medloom …` as a script would call it: no terminal, no colour. */
export class MedloomCommand {
  constructor(
    readonly folder: string,
    private readonly env: Record<string, string>,
  ) {}

  start(args: string[], env: Record<string, string> = {}): ChildProcess {
    return spawn(process.execPath, [join(REPOSITORY, 'packages/cli/bin/medloom.js'), ...args], {
      cwd: this.folder,
      env: { ...process.env, FORCE_COLOR: '', ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  run = (...args: string[]): Promise<Ended> => ended(this.start(args))
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
