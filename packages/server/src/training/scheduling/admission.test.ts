/** @module-tag service */
import { describe, expect, it } from 'vitest'
import type { Capacity } from '../../ports/launcher.js'
import { admit } from './admission.js'
import { grantOf } from './grant.js'
import type { Admission } from './waiting.js'

const cpu: Capacity = { accelerators: [], maxJobs: null }
const twoGpus: Capacity = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: null }
const mac: Capacity = { accelerators: ['mps'], maxJobs: null }

/** Devices of the waiting jobs, occupied slots → slot of each job, or "waits". */
const places = (capacity: Capacity, devices: string[], taken: string[][] = []) => {
  const waiting = devices.map((device, index) => ({ id: String(index), device, num_workers: null }))
  const running = taken.map(
    (occupied, index): Admission => ({
      id: `running ${index}`,
      device: 'auto',
      num_workers: null,
      places: occupied,
    }),
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
    [
      'a job while another one waits for another slot',
      twoGpus,
      ['cuda:0', 'cpu'],
      [['cuda:0']],
      ['waits', 'cpu'],
    ],
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
      'at most the configured number, first come, first served',
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

  it('gives a job a specific device only if there is a choice', () => {
    const given = (capacity: Capacity, device: string, place: string) =>
      grantOf({ id: '', device, num_workers: null, places: [place] }, capacity).device
    expect(given(twoGpus, 'auto', 'cuda:1')).toBe('cuda:1')
    expect(given(twoGpus, 'cuda', 'cuda:1')).toBe('cuda:1')
    expect(given(cpu, 'auto', 'cpu')).toBe('auto')
    expect(given(mac, 'auto', 'mps')).toBe('auto')
    expect(given(twoGpus, 'cuda:0,1', 'cuda:0')).toBe('cuda:0,1')
  })

  describe('within the quotas of users', () => {
    /** Owners of the waiting jobs → ids of the jobs that start. */
    const started = (owners: (string | null)[], quotas: Record<string, number>, running: string[] = []) =>
      admit(
        owners.map((owner, index) => ({ id: String(index), device: 'auto', num_workers: null, owner })),
        running.map((owner, index) => ({
          ...{ id: `running ${index}`, device: 'auto', num_workers: null, owner },
          places: ['cpu'],
        })),
        { ...cpu, maxJobs: 4 },
        new Map(Object.entries(quotas)),
      ).map(({ id }) => Number(id))

    it.each<[string, (string | null)[], Record<string, number>, string[], number[]]>([
      ['as many of a user as they may have', ['ann', 'ann', 'ann'], { ann: 2 }, [], [0, 1]],
      ['including running jobs', ['ann', 'ann'], { ann: 2 }, ['ann'], [0]],
      [
        'jobs of others when one user has reached their quota',
        ['ann', 'bob', 'bob'],
        { ann: 1 },
        ['ann'],
        [1, 2],
      ],
      ['no job of a user whose quota is 0', ['ann', 'bob'], { ann: 0 }, [], [1]],
      [
        'any number for users without a quota, and without an owner',
        ['bob', null, 'bob'],
        { ann: 1 },
        [],
        [0, 1, 2],
      ],
      ['first come, first served for the same user', ['ann', 'bob', 'ann'], { ann: 1 }, [], [0, 1]],
    ])('%s', (_, owners, quotas, running, expected) => {
      expect(started(owners, quotas, running)).toEqual(expected)
    })

    it('without reserving a slot for a job that waits because of its quota', () => {
      const job = (id: string, owner: string) => ({ id, owner, device: 'cuda:1', num_workers: null })
      const running: Admission[] = [
        { id: 'r', owner: 'ann', device: 'cuda:0', num_workers: null, places: ['cuda:0'] },
      ]
      const admitted = admit([job('a', 'ann'), job('b', 'bob')], running, twoGpus, new Map([['ann', 1]]))
      expect(admitted.map(({ id }) => id)).toEqual(['b'])
    })
  })
})
