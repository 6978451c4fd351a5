/** @module-tag full */
import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { ended } from '../testing/medloom-command.js'
import { REPOSITORY } from '../testing/service.js'

it('the quick demo trains three models, evaluates them and states its time and processor cores', async () => {
  const demo = spawn(process.execPath, ['scripts/demo.mjs', '--quick', '--no-open'], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { code, stdout, stderr } = await ended(demo)
  expect([code, stderr]).toEqual([0, ''])
  for (const title of ['Image and table', 'Image only', 'Table only'])
    expect(stdout).toMatch(new RegExp(`^${title} .* \\d\\.\\d{3} to \\d\\.\\d{3} `, 'm'))
  expect(stdout).toMatch(/^The demo took \d+ s on \d+ processor cores\./m)
})
