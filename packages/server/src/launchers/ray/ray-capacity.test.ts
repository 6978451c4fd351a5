import { expect, it } from 'vitest'
import { RayCapacity } from './ray-capacity.js'
import type { RayNode } from './ray-jobs.js'

const node = { id: 'a', cpus: 4, gpus: 1, startedAt: 0 }
const like = ({ cpus, gpus }: RayNode) => ({ cpus, gpus })

it('remembers lost nodes, since they may return', async () => {
  let living: RayNode[] = [node, { id: 'b', cpus: 2.5, gpus: 0, startedAt: 0 }]
  const capacity = new RayCapacity({ nodes: async () => living }, 0)
  const both = [like(node), { cpus: 2, gpus: 0 }]
  expect(await capacity.cluster()).toMatchObject({ cpus: 6, gpus: 1, nodes: both })
  living = [node]
  expect(await capacity.cluster()).toMatchObject({ cpus: 4, gpus: 1, nodes: both })
  living = []
  expect(await capacity.cluster()).toMatchObject({ cpus: 0, gpus: 0, nodes: both })
  living = [node, { ...node, id: 'c' }]
  expect(await capacity.cluster()).toMatchObject({ cpus: 8, gpus: 2, nodes: [like(node), like(node)] })
})

it('forgets a lost node when another one joins in its place, first one of the same size', async () => {
  const small = ['a', 'b', 'c'].map((id) => ({ id, cpus: 8, gpus: 0, startedAt: 0 }))
  const [large, other] = ['d', 'e'].map((id) => ({ id, cpus: 32, gpus: 4, startedAt: 0 }))
  let living: (RayNode | undefined)[] = [...small, large]
  const capacity = new RayCapacity({ nodes: async () => living as RayNode[] }, 0)
  await capacity.cluster()
  living = []
  expect((await capacity.cluster()).nodes).toHaveLength(4)
  living = [other]
  const eight = { cpus: 8, gpus: 0 }
  const many = { cpus: 32, gpus: 4 }
  expect(await capacity.cluster()).toMatchObject({ cpus: 32, nodes: [eight, eight, eight, many] })
  // One more node has joined, and others are still missing.
  living = [other, { ...large, id: 'f' } as RayNode]
  expect(await capacity.cluster()).toMatchObject({ cpus: 64, gpus: 8, nodes: [eight, eight, many, many] })
})

it('is queried once for many callers, and again after a failure', async () => {
  let requests = 0
  const capacity = new RayCapacity({
    nodes: async () => {
      requests += 1
      if (requests === 1) throw new Error('no answer')
      return [node]
    },
  })
  await expect(capacity.cluster()).rejects.toThrow('no answer')
  await Promise.all([capacity.cluster(), capacity.cluster()])
  expect(requests).toBe(2)
})

it('is not known while no node has joined the head', async () => {
  let living: RayNode[] = []
  const capacity = new RayCapacity({ nodes: async () => living }, 0)
  await expect(capacity.cluster()).rejects.toThrow('no node has joined')
  living = [node]
  expect(await capacity.cluster()).toMatchObject({ cpus: 4 })
})

it('counts as growing for a while after a node has joined, whatever the clock of the node', async () => {
  const joined = (id: string, ahead = 0) => ({ ...node, id, startedAt: Date.now() + ahead })
  let living: RayNode[] = [node]
  const capacity = new RayCapacity({ nodes: async () => living }, 0, 200)
  const isGrowing = async () => (await capacity.cluster()).isGrowing
  expect(await isGrowing()).toBe(false) // the node is older than the service
  for (const nodes of [
    () => [node, joined('b')],
    () => [node, joined('b'), joined('c', 3_600_000)],
    () => [joined('d')], // the cluster was restarted
  ]) {
    living = nodes()
    expect(await isGrowing()).toBe(true)
    await new Promise((done) => setTimeout(done, 250))
    expect(await isGrowing()).toBe(false)
  }
})
