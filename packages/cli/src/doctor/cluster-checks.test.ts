import { describe, expect, it } from 'vitest'
import { checkCluster, checkDashboard } from './cluster-checks.js'

const serving = (trainings: object) =>
  checkCluster({ getSystemInfo: async () => ({ trainings }) as never } as never)

describe('the cluster check of the doctor', () => {
  it('shows the resources of the cluster, or that it does not answer', async () => {
    const cluster = { nodes: 2, cpus: 16, gpus: 4 }
    expect(await serving({ launcher: 'ray', cluster })).toMatchObject([
      { key: 'cluster', status: 'ok', message: 'ray: 2 nodes, 16 cores, 4 GPUs' },
    ])
    expect(await serving({ launcher: 'slurm', cluster: null })).toMatchObject([
      { status: 'warn', remedy: expect.stringContaining('continue once the cluster responds') },
    ])
  })

  it('is empty if trainings run on the machine of the service, or if there is no service', async () => {
    expect(await serving({ launcher: 'local', cluster: null })).toEqual([])
    const refused = async () => {
      throw new Error('connection refused')
    }
    expect(await checkCluster({ getSystemInfo: refused } as never)).toEqual([])
    expect(await checkDashboard(undefined)).toEqual([])
    expect(await checkDashboard('http://')).toMatchObject([{ status: 'fail' }])
  })
})
