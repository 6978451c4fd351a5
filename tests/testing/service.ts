import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordedPython } from '../recordings/python.js'
import { registerCleanup } from './cleanup.js'
import { endUsers } from './end-users.js'
import { PYTHON, REPOSITORY } from './repository.js'

export { PYTHON, REPOSITORY } from './repository.js'

/** A real service in a separate process, as `npm start` runs it. */
export interface RunningService {
  readonly url: string
  readonly webSocketUrl: string
  readonly dataDir: string
  readonly process: ChildProcess
  /** Sends SIGTERM, then waits for the end. */
  stop(): Promise<void>
  /** Sends SIGKILL, then waits for the end. */
  kill(): Promise<void>
}

export interface ServiceOptions {
  roots: string[]
  dataDir?: string
  /** A trainer is prepared before the first job; most services here train nothing. */
  prewarm?: boolean
  /** `recorded`: trainings are replayed (tests/recordings), everything else is computed by the real trainer. */
  trainer?: 'real' | 'recorded'
  /** Folder of trainings that are replayed in addition to the stored ones. */
  recordings?: string
  arguments?: string[]
  env?: Record<string, string>
}

/** A process of the service that may not be ready yet, such as a standby controller. */
export interface StartedService {
  readonly process: ChildProcess
  /** Rejects if the process ends before. */
  readonly ready: Promise<RunningService>
  /** Sends SIGKILL, then waits for the end. */
  kill(): Promise<void>
}

/** Starts the built service on a free port and waits for the line with its address. */
export function startService(options: ServiceOptions): Promise<RunningService> {
  return spawnService(options).ready
}

/** Starts the built service on a free port. */
export function spawnService(options: ServiceOptions): StartedService {
  const main = join(REPOSITORY, 'packages/cli/bundle/main.js')
  if (!existsSync(main)) throw new Error('the service is not built; run "npm run build"')
  const dataDir = options.dataDir ?? temporaryFolder('data')
  const child = spawn(
    process.execPath,
    [
      main,
      'serve',
      '--port',
      '0',
      '--data-dir',
      dataDir,
      '--python',
      options.trainer === 'recorded' ? recordedPython(options.recordings) : PYTHON,
      '--prewarm',
      options.prewarm ? 'on' : 'off',
      ...options.roots.flatMap((root) => ['--root', root]),
      ...(options.arguments ?? []),
    ],
    { env: { ...process.env, OMP_NUM_THREADS: '1', ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const unregister = registerCleanup(() => {
    child.kill('SIGKILL')
    // Its trainers outlive it.
    endUsers(dataDir)
  })
  child.once('exit', unregister)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  const kill = () => end('SIGKILL')
  const ready = readyLine(child).then((url) => ({
    url,
    webSocketUrl: url.replace(/^http/, 'ws'),
    dataDir,
    process: child,
    stop: () => end('SIGTERM'),
    kill,
  }))
  // Callers that need a ready service await it; others may end it before.
  ready.catch(() => undefined)
  return { process: child, ready, kill }
}

export function readyLine(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk
      const address = /^Medloom is ready at (http:\/\/\S+)$/m.exec(output)?.[1]
      if (address) done(address)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', fail)
    child.once('exit', (code) =>
      fail(new Error(`the service ended with ${code} before it was ready:\n${output}`)),
    )
  })
}

export function temporaryFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `medloom-${name}-`)))
  registerCleanup(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return folder
}
