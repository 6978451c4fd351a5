import { describe, expect, it } from 'vitest'
import { checkCluster, checkDashboard } from './cluster-checks.js'

const serving = (trainings: object) =>
  checkCluster({ getSystemInfo: async () => ({ trainings }) as never } as never)

describe('doctor says of the cluster', () => {
  it('what it has, and that it does not answer', async () => {
    const cluster = { nodes: 2, cpus: 16, gpus: 4 }
    expect(await serving({ launcher: 'ray', cluster })).toMatchObject([
      { key: 'cluster', status: 'ok', message: 'ray: 2 nodes, 16 cores, 4 GPUs' },
    ])
    expect(await serving({ launcher: 'slurm', cluster: null })).toMatchObject([
      { status: 'warn', remedy: expect.stringContaining('goes on when it is back') },
    ])
  })

  it('nothing where trainings run on the machine of the service, or where there is none', async () => {
    expect(await serving({ launcher: 'local', cluster: null })).toEqual([])
    const refused = async () => {
      throw new Error('connection refused')
    }
    expect(await checkCluster({ getSystemInfo: refused } as never)).toEqual([])
    expect(await checkDashboard(undefined)).toEqual([])
    expect(await checkDashboard('http://')).toMatchObject([{ status: 'fail' }])
  })
})
