import { SystemInfo } from '@medloom/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { shows } from './sentences/index.js'

const WITH_UNIT = /^\d+(\.\d+)? ?[KMGTP]i?B$/

describe('2.5 System information', () => {
  let info: SystemInfo
  beforeAll(async () => {
    const { body } = await new Caller(shared.url).get('/api/system/info')
    info = SystemInfo.parse(body)
  })

  it(
    'gpu.available is a boolean and gpu.count an integer that agree with the devices',
    shows('2.5/gpu.available', '2.5/gpu.count'),
    () => {
      expect(info.gpu.count).toBe(info.gpu.devices.length)
      if (info.gpu.count > 0) expect(info.gpu.available).toBe(true)
    },
  )
  it('gpu.devices have id, name, memory_total and memory_used with unit', shows('2.5/gpu.devices'), () => {
    for (const device of info.gpu.devices)
      expect(device).toMatchObject({
        id: expect.any(Number),
        name: expect.any(String),
        memory_total: expect.stringMatching(WITH_UNIT),
        memory_used: expect.stringMatching(WITH_UNIT),
      })
  })
  for (const field of ['total', 'used', 'free'] as const)
    it(`disk.${field} is a string with unit`, shows(`2.5/disk.${field}`), () =>
      expect(info.disk[field]).toMatch(WITH_UNIT),
    )
  it('python_version is that of the trainer', shows('2.5/python_version'), () =>
    expect(info.python_version).toMatch(/^3\.\d+\.\d+/),
  )
  it('pytorch_version is that of the trainer', shows('2.5/pytorch_version'), () =>
    expect(info.pytorch_version).toMatch(/^2\.\d+\.\d+/),
  )
  it('no error of a complete Python environment is reported', () => expect(info.python_error).toBeNull())
})
