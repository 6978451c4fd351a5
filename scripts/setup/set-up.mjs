import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { chromium } from './chromium.mjs'
import { isClone, trainerEnvironment } from './environment.mjs'
import { SetUpError } from './errors.mjs'
import { fingerprint, hasStamp, writeStamp } from './fingerprint.mjs'
import { withLock } from './lock.mjs'
import { pythonEnvironment } from './python-environment.mjs'
import { rayEnvironment } from './ray.mjs'
import { slurm } from './slurm.mjs'
import { runStep } from './tool.mjs'

export { SetUpError }

/** Separate environments for purposes whose packages must not affect the trainer's versions. */
const OWN_ENVIRONMENTS = {
  fuzz: { folder: '.venv-fuzz', requirements: 'tests/soak/fuzz' },
  defaults: { folder: '.venv-defaults', requirements: 'bench/defaults' },
  intake: { folder: '.venv-intake', requirements: 'bench/intake' },
  peers: { folder: '.venv-peers', requirements: 'bench/peers' },
}

export const PURPOSES = ['start', 'demo', 'test', 'ray', ...Object.keys(OWN_ENVIRONMENTS)]

/**
 * Prepares the clone at `root` for `purpose`. Each step is skipped if its stamp matches its inputs; a second call starts nothing.
 * If a step fails, its dependent steps are skipped; the others are finished and kept, then its error is thrown. Safe to interrupt and to run
 * twice at once.
 */
export async function setUp({ root, purpose = 'start', env = process.env, log = console.error }) {
  if (!PURPOSES.includes(purpose))
    throw new SetUpError(`Unknown purpose "${purpose}".`, `Use --for ${PURPOSES.join(', --for ')}.`)
  const pending = () => chains(root, purpose, env).map((steps) => steps.filter((step) => !step.isCurrent()))
  if (pending().flat().length === 0) return
  const onWait = () => log('Another set-up of this folder is running; waiting for it to end.')
  const shared = dirname(trainerEnvironment(root, env))
  mkdirSync(shared, { recursive: true })
  await withLock(
    join(shared, '.setup.lock'),
    async () => {
      const ends = await Promise.allSettled(pending().map(makeInOrder))
      const failures = ends.flatMap(({ reason }) => reason ?? [])
      if (failures.length > 0) throw failures.find(({ interrupted }) => interrupted) ?? failures[0]
    },
    { onWait },
  )
}

async function makeInOrder(steps) {
  for (const step of steps) await step.make()
}

/** Chains of dependent steps, in order. The chains are independent: while one waits for the network, others compute. */
function chains(root, purpose, env) {
  // A package installed by npm is already built and has its packages.
  if (!isClone(root)) return [pythonEnvironments(root, purpose, env)]
  return [
    [npmPackages(root, env), build(root)],
    pythonEnvironments(root, purpose, env),
    // One after the other: apt-get has one lock.
    purpose === 'test' ? [chromium(root, env), slurm(root, env)] : [],
  ]
}

function npmPackages(root, env) {
  const stamp = join(root, 'node_modules', '.medloom-setup')
  const inputs = () =>
    fingerprint(
      root,
      ['package.json', 'package-lock.json'],
      [process.versions.modules, process.platform, process.arch],
    )
  return {
    isCurrent: () => hasStamp(stamp, inputs()) || agreesWithLock(root),
    make: async () => {
      // "npm ci" rejects a lock file without the binaries of other systems; "install --no-save" installs the locked versions too.
      const unfinished = join(root, '.npm-unfinished')
      const noted = join(root, 'node_modules', '.package-lock.json')
      if (existsSync(unfinished) || !existsSync(noted))
        rmSync(join(root, 'node_modules'), { recursive: true, force: true })
      writeStamp(unfinished, '')
      await runStep('npm packages', [...npm(env), 'install', '--no-save', '--loglevel=error'], {
        cwd: root,
        env,
      })
      rmSync(unfinished, { force: true })
      writeStamp(stamp, inputs())
    },
  }
}

/** npm records in node_modules/.package-lock.json what it installed; the same versions need no second installation. */
function agreesWithLock(root) {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    const present = JSON.parse(
      readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8'),
    ).packages
    return Object.entries(wanted).every(([path, { version, link, optional, peer }]) => {
      if (!path.startsWith('node_modules/') || peer) return true
      if (link) return existsSync(join(root, path))
      return present[path] ? present[path].version === version : optional === true
    })
  } catch {
    return false
  }
}

function pythonEnvironments(root, purpose, env) {
  const trainer = [
    {
      title: 'Python packages',
      stamp: '.medloom-setup',
      requirements: 'trainer/requirements.txt',
      trainer: true,
    },
  ]
  if (purpose === 'test')
    trainer.push({
      title: 'Python packages for tests',
      stamp: '.medloom-setup-dev',
      requirements: 'trainer/requirements-dev.txt',
    })
  return [
    ...pythonEnvironment(root, env, trainerEnvironment(root, env), ['trainer/constraints.txt'], trainer),
    ...ownEnvironment(root, env, purpose),
    ...(purpose === 'ray' ? rayEnvironment(root, env) : []),
  ]
}

function ownEnvironment(root, env, purpose) {
  const own = OWN_ENVIRONMENTS[purpose]
  if (!own) return []
  const requirements = `${own.requirements}/requirements.txt`
  const install = { title: `Python packages for ${purpose}`, stamp: '.medloom-setup', requirements }
  return pythonEnvironment(root, env, own.folder, [`${own.requirements}/constraints.txt`], [install])
}

function build(root) {
  const packages = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces
  const stamp = join(root, 'node_modules', '.medloom-build')
  const inputs = () =>
    fingerprint(root, [
      'tsconfig.json',
      'tsconfig.base.json',
      'package-lock.json',
      'scripts/build.mjs',
      'scripts/generate.ts',
      'packages/contracts/scripts',
      ...packages.flatMap((path) =>
        ['src', 'build', 'tsconfig.json', 'package.json', 'index.html', 'vite.config.ts'].map(
          (name) => `${path}/${name}`,
        ),
      ),
    ])
  const built = () =>
    existsSync(join(root, 'packages/cli/bundle/main.js')) &&
    existsSync(join(root, 'packages/contracts/generated/openapi.json')) &&
    packages.every((path) =>
      ['index.js', 'index.html'].some((entry) => existsSync(join(root, path, 'dist', entry))),
    )
  return {
    isCurrent: () => built() && hasStamp(stamp, inputs()),
    make: async () => {
      const before = inputs()
      // Without its build information, tsc writes every file again, including files that were deleted manually.
      if (!built())
        for (const path of packages) rmSync(join(root, path, 'tsconfig.tsbuildinfo'), { force: true })
      await runStep('Build', [process.execPath, join('scripts', 'build.mjs')], { cwd: root })
      writeStamp(stamp, before)
    },
  }
}

/** npm as it was called, otherwise the one on the PATH. */
function npm(env) {
  if (env.npm_execpath && /npm-cli\.c?js$/.test(env.npm_execpath)) return [process.execPath, env.npm_execpath]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm']
}
