import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { registerCleanup } from '../testing/cleanup.js'
import { PYTHON, REPOSITORY, readyLine } from '../testing/service.js'

/** Builds the program of an earlier commit in a folder, unless it exists. Installed packages are shared if the lock files agree. */
export function checkOut(commit: string, folder: string, log: (line: string) => void): string {
  const done = join(folder, 'packages/cli/dist/main.js')
  if (existsSync(done)) return folder
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', commit], { cwd: REPOSITORY, maxBuffer: 1024 ** 3 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  if (!sharesPython(folder))
    throw new Error(`the Python packages of ${commit} are not those of this environment`)
  if (sameFile('package-lock.json', folder)) linkPackages(folder)
  else {
    log('installs its npm packages')
    execFileSync('npm', ['install', '--no-save', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
  }
  log('is built')
  execFileSync('npm', ['run', '-s', 'build'], { cwd: folder, stdio: 'inherit' })
  return folder
}

function sameFile(path: string, folder: string): boolean {
  return readFileSync(join(REPOSITORY, path), 'utf8') === readFileSync(join(folder, path), 'utf8')
}

/** Copies, because workspace packages are links to their own folder. */
function linkPackages(folder: string): void {
  const places = ['.', ...['web', 'server', 'reports', 'contracts', 'cli'].map((name) => `packages/${name}`)]
  for (const place of places) {
    const from = join(REPOSITORY, place, 'node_modules')
    if (existsSync(from))
      cpSync(from, join(folder, place, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  }
}

/** Reports whether each package pinned by the earlier state has the same version here. */
function sharesPython(folder: string): boolean {
  const pinned = (place: string) =>
    readFileSync(join(place, 'trainer/constraints.txt'), 'utf8')
      .split('\n')
      .filter((line) => /^[\w.-]+==/.test(line))
  const here = new Set(pinned(REPOSITORY))
  return pinned(folder).every((line) => here.has(line))
}

/** The environment is shared, but contains the trainer of one tree: each service uses its own trainer. */
export function trainerOf(program: string): { PYTHONPATH: string } {
  return { PYTHONPATH: join(program, 'trainer/src') }
}

/** Starts the service of a checked-out state. */
export async function startEarlier(program: string, roots: readonly string[], dataDir: string) {
  const bundle = join(program, 'packages/cli/bundle/main.js')
  const main = existsSync(bundle) ? bundle : join(program, 'packages/cli/bin/medloom.js')
  const child = spawn(
    process.execPath,
    [main, 'serve', '--port', '0', '--data-dir', dataDir, '--python', PYTHON].concat(
      ...roots.map((root) => ['--root', root]),
    ),
    {
      cwd: dirname(dataDir),
      env: { ...process.env, ...trainerOf(program), OMP_NUM_THREADS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const unregister = registerCleanup(() => child.kill('SIGKILL'))
  child.once('exit', unregister)
  const url = await readyLine(child)
  const stop = async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url, stop }
}
