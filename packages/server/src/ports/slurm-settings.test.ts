import { expect, it } from 'vitest'
import { readSettings } from '../settings.js'
import { SLURM_DEFAULTS } from './slurm-settings.js'

const read = (...flags: string[]) => readSettings(flags, {}).slurm

it('without flags, the defaults of the site apply', () => {
  expect(read()).toEqual(SLURM_DEFAULTS)
})

it('flags and variables set the options of Slurm', () => {
  const flags = ['--slurm-partition', 'gpu', '--slurm-time', '1-12:00:00', '--slurm-memory', '16G']
  expect(
    read(...flags, '--slurm-options=--constraint=a100&ib  --exclusive', '--slurm-grace', '300'),
  ).toMatchObject({
    ...{ partition: 'gpu', time: '1-12:00:00', memory: '16G', graceSeconds: 300 },
    options: ['--constraint=a100&ib', '--exclusive'],
  })
  expect(readSettings([], { MEDLOOM_SLURM_ACCOUNT: 'lab-7' }).slurm?.account).toBe('lab-7')
})

it.each([
  ['--slurm-partition', 'gpu; rm'],
  ['--slurm-time', 'tomorrow'],
  ['--slurm-memory', '16 GB'],
  ['--slurm-options', '-p gpu'],
  ['--slurm-options', 'script.sh'],
  ['--slurm-options', '--comment=$(id)'],
  ['--slurm-options', '--time=5'],
  ['--slurm-options', '--wrap=id'],
  ['--slurm-options', '--requeue'],
])('%s %s is refused', (flag, value) => {
  expect(() => read(`${flag}=${value}`)).toThrow(flag)
})
