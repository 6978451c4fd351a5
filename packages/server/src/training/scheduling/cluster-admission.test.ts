/** @module-tag service */
import { describe, expect, it } from 'vitest'
import type { Resources } from '../../ports/resources.js'
import { admit } from './admission.js'
import { grantOf } from './grant.js'
import type { Admission } from './waiting.js'

const clusterOf = (...nodes: Resources[]) => ({
  accelerators: [],
  maxJobs: null,
  cluster: {
    cpus: nodes.reduce((sum, { cpus }) => sum + cpus, 0),
    gpus: nodes.reduce((sum, { gpus }) => sum + gpus, 0),
    nodes,
  },
})
const cpus = clusterOf({ cpus: 2, gpus: 0 }, { cpus: 2, gpus: 0 })
const gpus = clusterOf({ cpus: 16, gpus: 2 }, { cpus: 16, gpus: 2 }, { cpus: 8, gpus: 0 })

type Asked = string | readonly [device: string, num_workers: number]

const waitingOf = (requests: readonly Asked[]) =>
  requests.map((one, index) => {
    const [device, num_workers] = typeof one === 'string' ? [one, null] : one
    return { id: String(index), device, num_workers }
  })
const runningOf = (taken: readonly string[][]) =>
  taken.map(
    (places, index): Admission => ({ id: `running ${index}`, device: 'auto', num_workers: null, places }),
  )
const places = (capacity: typeof cpus, requests: readonly Asked[], taken: string[][] = []) => {
  const admitted = admit(waitingOf(requests), runningOf(taken), capacity)
  return waitingOf(requests).map(
    ({ id }) => admitted.find((job) => job.id === id)?.places.join(' ') ?? 'waits',
  )
}

describe('the queue of a cluster admits', () => {
  it.each<[string, typeof cpus, Asked[], string[][], string[]]>([
    [
      'a core for each process',
      cpus,
      ['auto', 'cpu:2', 'cpu', 'cpu'],
      [],
      ['cpus=1', 'cpus=2', 'cpus=1', 'waits'],
    ],
    [
      'cores for the processes that decode',
      cpus,
      [['cpu', 2], ['cpu', 2], 'cpu'],
      [],
      ['cpus=2', 'cpus=2', 'waits'],
    ],
    ['not more of these than a node has', cpus, [['cpu', 64]], [], ['cpus=2']],
    [
      'a GPU with its share of the cores',
      gpus,
      ['auto', 'cuda:0,1'],
      [],
      ['cpus=8 gpus=1', 'cpus=16 gpus=2'],
    ],
    ['processes of several nodes', gpus, ['cuda:2x2', 'auto'], [], ['cpus=32 gpus=4', 'waits']],
    [
      'a job on the CPU while another one waits for a GPU',
      gpus,
      ['auto', 'cpu'],
      [['cpus=8', 'gpus=4']],
      ['waits', 'cpus=1'],
    ],
    ['only jobs that fit next to the running ones', cpus, ['cpu:2', 'cpu'], [['cpus=3']], ['waits', 'waits']],
    [
      'nobody into what a job before waits for',
      cpus,
      [['cpu', 2], 'cpu', 'cpu'],
      [['cpus=1'], ['cpus=1']],
      ['cpus=2', 'waits', 'waits'],
    ],
    ['beside jobs of another launcher', cpus, ['cpu:2x2'], [['cpu'], ['cuda:0']], ['cpus=4']],
    [
      'what will never fit, for its launcher to refuse',
      cpus,
      ['cuda', 'cpu:3', 'cpu:1x3', 'cpu'],
      [],
      ['', '', '', 'cpus=1'],
    ],
  ])('%s', (_, capacity, requests, taken, expected) => {
    expect(places(capacity, requests, taken)).toEqual(expected)
  })

  it('a job that fits no node only once the cluster does not grow any more', () => {
    const growing = { ...cpus, cluster: { ...cpus.cluster, isGrowing: true } }
    expect(places(growing, ['cuda', 'cpu:3', 'cpu'])).toEqual(['waits', 'waits', 'cpus=1'])
  })

  it('no job past a waiting one, however many follow it', () => {
    const requests: Asked[] = ['cpu:2x2', ...Array.from({ length: 20 }, () => 'cpu')]
    expect(places(cpus, requests, [['cpus=1']]).every((place) => place === 'waits')).toBe(true)
  })

  it('at most the configured number if that is less', () => {
    expect(places({ ...cpus, maxJobs: 2 } as never, ['cpu', 'cpu', 'cpu'])).toEqual([
      'cpus=1',
      'cpus=1',
      'waits',
    ])
  })
})

it('gives a job only its own part of the cluster', () => {
  const given = (capacity: typeof cpus, device: string) => {
    const { resources, ...granted } = grantOf({ id: '', device, num_workers: null, places: [] }, capacity)
    return [granted.device, granted.num_workers, resources]
  }
  const one = { nodes: 1, processes: 1 }
  expect(given(cpus, 'auto')).toEqual(['cpu', 1, { ...one, cpus: 1, gpus: 0 }])
  expect(given(gpus, 'auto')).toEqual(['cuda', 8, { ...one, cpus: 8, gpus: 1 }])
  expect(given(gpus, 'cuda:3')).toEqual(['cuda', 8, { ...one, cpus: 8, gpus: 1 }])
  expect(given(gpus, 'cuda:2,3')).toEqual(['cuda:0,1', 16, { nodes: 1, processes: 2, cpus: 16, gpus: 2 }])
  expect(given(gpus, 'cuda:2x2')).toEqual(['cuda:2x2', 16, { nodes: 2, processes: 2, cpus: 16, gpus: 2 }])
})

it('skips the jobs of a user whose quota is reached, and does not reserve their amounts', () => {
  const job = (id: string, owner: string) => ({ id, owner, device: 'cpu', num_workers: null })
  const running: Admission[] = [{ ...job('r', 'ann'), places: ['cpus=1'] }]
  const waiting = [job('a', 'ann'), job('b', 'bob'), job('c', 'ann'), job('d', 'bob')]
  const admitted = admit(waiting, running, cpus, new Map([['ann', 1]]))
  expect(admitted.map(({ id }) => id)).toEqual(['b', 'd'])
})
