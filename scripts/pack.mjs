#!/usr/bin/env node
// npm run pack: medloom-VERSION.tgz, which npm can install anywhere, and the wheel of the trainer, for machines that only train.
// Usage: node scripts/pack.mjs [--out FOLDER]   (default: dist)
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { EXTERNAL } from './external.mjs'
import { pinned } from './pinned.mjs'
import { pythonIn, trainerEnvironment } from './setup/environment.mjs'
import { ready, root } from './setup.mjs'

/** Contents of an installed package, each at its path in the repository, so that the program finds everything as in a clone. */
const CONTENTS = [
  'LICENSE',
  'examples',
  'packages/cli/bin',
  'packages/cli/bundle',
  'packages/cli/package.json',
  'packages/contracts/generated/openapi.json',
  'packages/web/dist',
  'scripts/setup',
  'scripts/setup.mjs',
  'trainer/constraints.txt',
  'trainer/constraints-ray.txt',
  'trainer/requirements.txt',
  'trainer/requirements-ray.txt',
]

await ready('start')
const index = process.argv.indexOf('--out')
const out = resolve(index > 0 ? process.argv[index + 1] : join(root, 'dist'))
mkdirSync(out, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'medloom-pack-'))
try {
  const wheel = makeWheel()
  const stage = join(work, 'package')
  for (const path of CONTENTS)
    cpSync(join(root, path), join(stage, path), {
      recursive: true,
      filter: (file) => !/\.(test|d)\.m?[jt]s$/.test(file),
    })
  cpSync(join(out, wheel), join(stage, 'trainer', wheel))
  cpSync(join(root, 'packages/cli/README.md'), join(stage, 'README.md'))
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(description(), null, 2)}\n`)
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const packed = execFileSync(npm, ['pack', '--silent', '--pack-destination', out], { cwd: stage })
  for (const name of [packed.toString().trim().split('\n').at(-1), wheel]) console.log(join(out, name))
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** @returns its name in `out` */
function makeWheel() {
  const sources = join(work, 'trainer')
  // setuptools writes next to its sources.
  for (const path of ['pyproject.toml', 'src'])
    cpSync(join(root, 'trainer', path), join(sources, path), {
      recursive: true,
      filter: (path) => !/__pycache__|\.egg-info/.test(path),
    })
  const wheels = join(work, 'wheels')
  const pip = [
    '-m',
    'pip',
    'wheel',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--no-build-isolation',
  ]
  execFileSync(pythonIn(trainerEnvironment(root)), [...pip, '--wheel-dir', wheels, sources], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [name] = readdirSync(wheels)
  cpSync(join(wheels, name), join(out, name))
  return name
}

function description() {
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))
  const { version, license, engines } = read('package.json')
  return {
    name: 'medloom',
    version,
    description: 'Trains models that read medical images and tables together.',
    license,
    type: 'module',
    engines,
    bin: { medloom: 'packages/cli/bin/medloom.js' },
    dependencies: pinned(read('package-lock.json'), EXTERNAL),
  }
}
