/** @module-tag full */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.js'
import { whyNot } from '../soak/disk.js'
import { REPOSITORY } from '../testing/service.js'

const mounts = () => readFileSync('/proc/mounts', 'utf8')
/** Images of the loop devices in use. */
const images = () =>
  readdirSync('/sys/block')
    .filter((name) => name.startsWith('loop'))
    .map((name) => read(`/sys/block/${name}/loop/backing_file`))
const commands = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => `${read(`/proc/${pid}/cmdline`)}${read(`/proc/${pid}/environ`)}`)

it.skipIf(whyNot.power !== null).each(['SIGINT', 'SIGTERM'] as const)(
  'a soak of disks that %s ends leaves no disk, no loop device, no process and no folder',
  async (signal) => {
    const temporary = mkdtempSync(join(tmpdir(), 'medloom-soak-signal-'))
    const soak = spawn(
      process.execPath,
      ['--conditions=medloom-source', '--import', 'tsx', 'tests/soak/disk.ts', '--fault', 'power'],
      { cwd: REPOSITORY, env: { ...process.env, TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let printed = ''
    soak.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
    const ended = once(soak, 'close')
    onTestFinished(() => void soak.kill('SIGTERM'))
    // By then, the service of a round works on its own disk.
    const isServing = () =>
      commands().some(
        (command) => /main\.js\0serve\0/.test(command) && command.includes(`${temporary}/medloom-disk-`),
      )
    await eventually(() => isServing() || soak.exitCode !== null, undefined, { every: 50 })
    expect(mounts()).toContain(temporary)
    soak.kill(signal)
    expect(await ended).toEqual([signal === 'SIGINT' ? 130 : 143, null])
    expect(printed).toContain(`ended by ${signal}`)
    expect(printed).toContain('promise')
    // A killed process ends after a short delay, and the device of a disk disappears with its last user.
    const leftovers = () => [
      ...(mounts().includes(temporary) ? ['a mounted disk'] : []),
      ...images().filter((image) => image.includes(temporary)),
      ...commands().filter((command) => command.includes(`${temporary}/`)),
    ]
    await eventually(leftovers, ({ length }) => length === 0, { every: 50 })
    expect(readdirSync(temporary).filter((name) => name.startsWith('medloom-'))).toEqual([])
    rmSync(temporary, { recursive: true })
  },
  300_000,
)

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
