import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Milliseconds per empty node. */
export interface PeerFigure {
  readonly peer: string
  readonly what: string
  readonly milliseconds: number
}

/** Maximum seconds for the installation of one of them, and for running all. */
const INSTALL_SECONDS = 180
const RUN_SECONDS = 300

/**
 * Measures other engines on the same graphs, in an environment that is created for it and removed afterwards. Engines that cannot be
 * installed are skipped with a message.
 */
export async function measurePeers(python: string): Promise<PeerFigure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'medloom-peers-'))
  const bin = (name: string) => join(folder, 'v', process.platform === 'win32' ? 'Scripts' : 'bin', name)
  try {
    await run(python, ['-m', 'venv', join(folder, 'v')], INSTALL_SECONDS)
    for (const packages of [['dask==2026.8.0', 'distributed==2026.8.0'], ['dagster==1.13.28']])
      await run(bin('pip'), ['install', '--quiet', ...packages], INSTALL_SECONDS).catch((error: Error) =>
        console.log(`${packages[0]} is left out: it does not install (${error.message.slice(0, 120)})`),
      )
    const output = await run(bin('python'), [join(import.meta.dirname, 'peers.py')], RUN_SECONDS, {
      DAGSTER_HOME: '',
      DAGSTER_DISABLE_TELEMETRY: 'yes',
    })
    return output.split('\n').flatMap((line) => {
      if (!line.startsWith('{')) return []
      const measurement: { peer: string; skipped?: string; what: string; milliseconds: number } =
        JSON.parse(line)
      if (measurement.skipped === undefined) return [measurement]
      console.log(`${measurement.peer} is left out: ${measurement.skipped}`)
      return []
    })
  } catch (error) {
    console.log(`other engines are left out: ${error instanceof Error ? error.message.slice(0, 200) : error}`)
    return []
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Its output. @throws its error message, or a timeout */
export function run(
  command: string,
  args: string[],
  seconds: number,
  env: Record<string, string> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: seconds * 1000,
    })
    let output = ''
    let complaints = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      complaints = (complaints + chunk).slice(-500)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output)
      else reject(new Error(signal ? `not done after ${seconds} s` : complaints.trim().split('\n').at(-1)))
    })
  })
}
