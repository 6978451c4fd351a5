import { expect, it } from 'vitest'
import type { Resources } from '../resources.js'
import { RayCapacity } from './ray-capacity.js'

it('keeps in mind nodes that are lost, since they may come back', async () => {
  const node = { cpus: 4, gpus: 1 }
  let living: Resources[] = [node, { cpus: 2.5, gpus: 0 }]
  const capacity = new RayCapacity({ nodes: async () => living }, 0)
  expect(await capacity.cluster()).toEqual({ cpus: 6, gpus: 1, nodes: [node, { cpus: 2, gpus: 0 }] })
  living = [node]
  expect(await capacity.cluster()).toEqual({ cpus: 4, gpus: 1, nodes: [node, { cpus: 2, gpus: 0 }] })
  living = [node, node]
  expect(await capacity.cluster()).toEqual({ cpus: 8, gpus: 2, nodes: [node, node] })
})

it('is asked for once while many ask, and again after a failure', async () => {
  let asked = 0
  const capacity = new RayCapacity({
    nodes: async () => {
      asked += 1
      if (asked === 1) throw new Error('no answer')
      return []
    },
  })
  await expect(capacity.cluster()).rejects.toThrow('no answer')
  await Promise.all([capacity.cluster(), capacity.cluster()])
  expect(asked).toBe(2)
})
