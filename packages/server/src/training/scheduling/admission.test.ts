/** @module-tag service */
import { describe, expect, it } from 'vitest'
import type { Capacity } from '../../launchers/launcher.js'
import { type Admission, admit, deviceFor } from './admission.js'

const cpu: Capacity = { accelerators: [], maxJobs: null }
const twoGpus: Capacity = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: null }
const mac: Capacity = { accelerators: ['mps'], maxJobs: null }

/** Devices of the waiting jobs, places that are taken → place of each job, or "waits". */
const places = (capacity: Capacity, devices: string[], taken: string[][] = []) => {
  const waiting = devices.map((device, index) => ({ id: String(index), device }))
  const running = taken.map(
    (occupied, index): Admission => ({ id: `running ${index}`, device: 'auto', places: occupied }),
  )
  const admitted = admit(waiting, running, capacity)
  return waiting.map(({ id }) => admitted.find((job) => job.id === id)?.places.join('+') ?? 'waits')
}

describe('the queue admits', () => {
  it.each([
    ['one job at a time on a CPU', cpu, ['auto', 'auto'], [], ['cpu', 'waits']],
    ['nothing while the CPU trains', cpu, ['auto'], [['cpu']], ['waits']],
    ['one job per accelerator', twoGpus, ['auto', 'auto', 'auto'], [], ['cuda:0', 'cuda:1', 'waits']],
    ['the accelerator that is free', twoGpus, ['auto'], [['cuda:0']], ['cuda:1']],
    ['the accelerator that is named', twoGpus, ['cuda:1', 'cuda:1'], [], ['cuda:1', 'waits']],
    ['a job beside one that needs another place', twoGpus, ['cuda:0', 'cpu'], [['cuda:0']], ['waits', 'cpu']],
    ['several accelerators together', twoGpus, ['cuda:0,1', 'auto'], [], ['cuda:0+cuda:1', 'waits']],
    [
      'nobody past a job that waits for the same place',
      twoGpus,
      ['cuda:0,1', 'auto'],
      [['cuda:0']],
      ['waits', 'waits'],
    ],
    ['an absent device to the CPU, where the trainer says what is wrong', cpu, ['cuda:3'], [], ['cpu']],
    ['mps', mac, ['auto', 'mps', 'cpu:2'], [], ['mps', 'waits', 'cpu']],
    [
      'as many as it is told, first come first',
      { ...cpu, maxJobs: 2 },
      ['auto', 'cpu', 'auto'],
      [],
      ['cpu', 'cpu', 'waits'],
    ],
    [
      'them spread over the accelerators',
      { ...twoGpus, maxJobs: 4 },
      ['auto', 'auto', 'auto'],
      [['cuda:0']],
      ['cuda:1', 'cuda:0', 'cuda:1'],
    ],
  ])('%s', (_, capacity, devices, taken, expected) => {
    expect(places(capacity, devices, taken)).toEqual(expected)
  })

  it('tells a job its device only where there is a choice', () => {
    const given = (capacity: Capacity, device: string, place: string) =>
      deviceFor({ id: '', device, places: [place] }, capacity)
    expect(given(twoGpus, 'auto', 'cuda:1')).toBe('cuda:1')
    expect(given(twoGpus, 'cuda', 'cuda:1')).toBe('cuda:1')
    expect(given(cpu, 'auto', 'cpu')).toBe('auto')
    expect(given(mac, 'auto', 'mps')).toBe('auto')
    expect(given(twoGpus, 'cuda:0,1', 'cuda:0')).toBe('cuda:0,1')
  })
})
