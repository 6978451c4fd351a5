/** @module-tag full */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { processesWith } from '../../packages/server/testing/processes.js'
import { startRayCluster, testRay } from '../../packages/server/testing/ray-cluster.js'

const NODES = `
import json, ray, medloom_trainer, torch
ray.init(address="auto", log_to_driver=False)
print(json.dumps(sorted(node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"])))
`

describe.skipIf(testRay() === undefined)('a cluster of the tests', () => {
  it('has its nodes, an environment with the trainer and a token; lost nodes come back, and nothing is left', async () => {
    const cluster = await startRayCluster({ nodes: [{ cpus: 1 }, { cpus: 2 }], dashboard: true })
    try {
      const env = { ...process.env, ...cluster.env, RAY_ADDRESS: cluster.address }
      const nodes = async () => {
        const { stdout } = await promisify(execFile)(cluster.python, ['-c', NODES], { env })
        return JSON.parse(stdout)
      }
      expect(await nodes()).toEqual([1, 2])
      expect((await fetch(`${cluster.dashboard}/api/version`)).status).toBe(401)
      const ofNode = (index: number) =>
        processesWith('')
          .filter(({ pid }) => cluster.nodeOf(pid) === index)
          .map(({ pid }) => pid)
      const lost = ofNode(1)
      expect(lost).not.toHaveLength(0)
      await cluster.killNode(1)
      // A killed process remains in the process list until its parent, or the machine's init process, has reaped it.
      await expect.poll(() => processesWith('').filter(({ pid }) => lost.includes(pid))).toEqual([])
      await expect.poll(nodes).toEqual([1])
      await cluster.startNode(1)
      expect(await nodes()).toEqual([1, 2])
    } finally {
      await cluster.close()
    }
    expect(existsSync(dirname(cluster.tokenFile))).toBe(false)
  })
})
