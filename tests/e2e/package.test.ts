/** @module-tag full */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { registerCleanup } from '../testing/cleanup.js'
import { PYTHON, REPOSITORY, temporaryFolder } from '../testing/service.js'
import { shared } from '../testing/shared.js'

const run = promisify(execFile)

/**
 * An environment with the wheel from the package, and the libraries of this repository's environment: creating a new one takes minutes.
 * @returns the home folder in which the package finds it
 */
async function environmentWith(wheel: string, version: string): Promise<string> {
  const home = temporaryFolder('home')
  const folder = join(home, `trainer-${version}`)
  await run(PYTHON, ['-m', 'venv', '--without-pip', folder])
  const { stdout } = await run(join(folder, 'bin/python'), [
    '-c',
    'import site; print(site.getsitepackages()[0])',
  ])
  const own = stdout.trim()
  await run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', own, wheel])
  const { stdout: libraries } = await run(PYTHON, ['-c', 'import site; print(site.getsitepackages()[0])'])
  writeFileSync(join(own, 'libraries.pth'), libraries)
  return home
}

it('the packed program runs outside of the repository: page, interface, templates, and a training by the packed trainer', async () => {
  const folder = temporaryFolder('package')
  const { stdout } = await run(process.execPath, [join(REPOSITORY, 'scripts/pack.mjs'), '--out', folder])
  const [archive = '', wheel = ''] = stdout.trim().split('\n')
  const installed = join(folder, 'installed')
  mkdirSync(installed)
  const npm = [
    'install',
    '--prefix',
    installed,
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    archive,
  ]
  await run('npm', npm, { cwd: installed })
  const packed = join(installed, 'node_modules/medloom')
  const program = join(installed, 'node_modules/.bin/medloom')
  const { version } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'))
  const locked = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8')).packages
  const own = JSON.parse(readFileSync(join(installed, 'node_modules/.package-lock.json'), 'utf8')).packages
  // A second version of a package, below the only package that needs it, cannot be pinned from outside: npm selects it.
  const others = Object.entries<{ version: string }>(own).filter(
    ([path]) => path in locked && path.split('node_modules/').length === 2,
  )
  expect(others.length).toBeGreaterThan(30)
  for (const [path, { version }] of others) expect(version, path).toBe(locked[path].version)
  expect((await run(program, ['--version'])).stdout.trim()).toBe(version)
  expect(existsSync(join(packed, 'trainer/src'))).toBe(false)
  expect(readdirSync(join(packed, 'trainer')).filter((name) => name.endsWith('.whl'))).toHaveLength(1)

  const data = join(folder, 'data')
  cpSync(shared.dataset, data, { recursive: true })
  const env = { ...process.env, MEDLOOM_HOME: await environmentWith(wheel, version), MEDLOOM_PYTHON: '' }
  const flags = ['--port', '0', '--root', data, '--data-dir', join(folder, 'kept'), '--open', 'off']
  const service = spawn(program, ['serve', ...flags], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  registerCleanup(() => service.kill('SIGKILL'))
  let output = ''
  service.stdout.on('data', (chunk) => {
    output += chunk
  })
  await expect.poll(() => /ready at (http:\S+)/.exec(output)?.[1]).toBeDefined()
  const url = /ready at (http:\S+)/.exec(output)?.[1] ?? ''
  expect(await (await fetch(url)).text()).toContain('<script type="module"')
  expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ info: { version } })
  const { templates } = (await (await fetch(`${url}/api/workflow/templates`)).json()) as {
    templates: unknown[]
  }
  expect(templates.length).toBeGreaterThan(5)

  const config = join(folder, 'training.yaml')
  writeFileSync(
    config,
    `data: {train_csv: ${join(data, 'train.csv')}}\nmodel: {vision_backbone: none, fusion_type: concatenate, members: 1}\n` +
      'training: {epochs: 1, batch_size: 8}\n',
  )
  const trained = await run(program, ['--url', url, '--json', 'train', '-f', config, '--watch'], { env })
  expect(trained.stdout).toContain('"status":"completed"')
  service.kill('SIGTERM')
  await once(service, 'exit')
})
