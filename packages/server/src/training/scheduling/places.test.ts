import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TrainingDomain } from '../../../testing/training/training-domain.js'
import { until } from '../../../testing/training/until.js'
import { AppError } from '../../errors.js'
import type { Hold } from './places.js'

let domain: TrainingDomain
beforeEach(async () => {
  domain = new TrainingDomain()
  await domain.open()
  domain.launcher.room = { accelerators: ['cuda:0'], maxJobs: null }
})
afterEach(() => domain.remove())

const never = new AbortController().signal
const places = () => domain.training.places
const taken = async (hold: Promise<Hold | null>): Promise<Hold> => {
  const given = await hold
  if (!given) throw new Error('no place was free')
  return given
}
const end = async (jobId: string) => {
  const trainer = await domain.submitted(jobId)
  domain.exchanges.of(jobId).writeEvent(domain.completed())
  trainer.state = 'gone'
}
const isSubmitted = (jobId: string) => domain.launcher.trainers.has(`${jobId}-1`)

describe('a slot for other work', () => {
  it('reserves the accelerator until it is released', async () => {
    const hold = await taken(places().tryHold('auto'))
    const jobId = await domain.accept({ device: 'auto' })
    const other = await domain.accept({ device: 'cpu' })
    // The job behind it runs, so the queue has started everything that it can.
    await domain.submitted(other)
    expect(isSubmitted(jobId)).toBe(false)
    hold.release()
    await domain.submitted(jobId)
    // A second release frees nothing: the accelerator belongs to the job.
    hold.release()
    expect(await places().tryHold('auto')).toBeNull()
  })

  it('is given in order: after earlier jobs, before later ones', async () => {
    const first = await domain.accept({ device: 'auto' })
    const second = await domain.accept({ device: 'auto' })
    await domain.submitted(first)
    let given: Hold | undefined
    const waiting = places()
      .hold('cuda', never)
      .then((hold) => {
        given = hold
      })
    // Its turn is taken once the capacity is known, like that of a later job.
    await places().tryHold('auto')
    const third = await domain.accept({ device: 'auto' })
    await end(first)
    await domain.submitted(second)
    expect(given).toBeUndefined()
    await end(second)
    await waiting
    expect([given?.device, isSubmitted(third)]).toEqual(['cuda', false])
    given?.release()
    await domain.submitted(third)
  })

  it('names the accelerator if there are several', async () => {
    domain.launcher.room = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: null }
    await domain.submitted(await domain.accept({ device: 'cuda:0' }))
    expect((await taken(places().tryHold('auto'))).device).toBe('cuda:1')
    expect(await places().tryHold('cuda:1')).toBeNull()
  })

  it('counts toward the maximum number of parallel jobs', async () => {
    domain.launcher.room = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: 1 }
    const hold = await taken(places().tryHold('auto'))
    expect(await places().tryHold('auto')).toBeNull()
    hold.release()
    ;(await taken(places().tryHold('auto'))).release()
  })

  it('is not needed on the CPU, or for a device that does not exist', async () => {
    const jobId = await domain.accept({ device: 'auto' })
    await domain.submitted(jobId)
    for (const device of ['cpu', 'cpu:4', 'mps', 'cuda:7'])
      expect([device, (await places().tryHold(device))?.device]).toEqual([device, device])
    domain.launcher.room = { accelerators: [], maxJobs: null }
    expect((await places().hold('auto', never)).device).toBe('auto')
  })

  it('is not given while a job waits for it', async () => {
    domain.launcher.room = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: null }
    const first = await domain.accept({ device: 'cuda:0' })
    await domain.submitted(first)
    const both = await domain.accept({ device: 'cuda:0,1' })
    expect(await places().tryHold('cuda:1')).toBeNull()
    await end(first)
    await domain.submitted(both)
  })

  it('is a device of the service machine if a cluster trains, even while that cannot be reached', async () => {
    await domain.restart(async () => {
      domain.launcher.isCluster = true
      domain.launcher.room = new AppError('CLUSTER_UNREACHABLE', 'the cluster does not answer')
    })
    for (const [device, own] of [
      ['cuda:1', 'auto'],
      ['auto', 'auto'],
      ['cpu', 'cpu'],
    ] as const)
      expect([
        device,
        (await places().tryHold(device))?.device,
        (await places().hold(device, never)).device,
      ]).toEqual([device, own, own])
    await expect(places().hold('cpu', AbortSignal.abort())).rejects.toMatchObject({ code: 'TRAINER_FAILED' })
  })

  it('is not reserved for a disconnected caller, so that later ones proceed', async () => {
    domain.launcher.room = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: null }
    const hold = await taken(places().tryHold('cuda:0'))
    const abort = new AbortController()
    const waiting = places().hold('cuda:0,1', abort.signal)
    const refused = expect(waiting).rejects.toMatchObject({ code: 'TRAINER_FAILED' })
    expect(await places().tryHold('cuda:1')).toBeNull()
    const jobId = await domain.accept({ device: 'cuda:1' })
    abort.abort()
    await refused
    await domain.submitted(jobId)
    hold.release()
    await expect(places().hold('cuda:0', abort.signal)).rejects.toMatchObject({ code: 'TRAINER_FAILED' })
  })

  it('is given while the queue is paused, since no trainer is started then', async () => {
    domain.launcher.refusal = new AppError('DISK_FULL', 'no space left')
    await domain.accept({ device: 'auto' })
    await until(() => domain.training.pause() !== null)
    ;(await taken(places().tryHold('auto'))).release()
  })

  it('is refused when the service closes', async () => {
    await domain.submitted(await domain.accept({ device: 'auto' }))
    const waiting = places().hold('auto', never)
    const refused = expect(waiting).rejects.toMatchObject({ code: 'WORKER_TIMEOUT' })
    await places().tryHold('auto')
    domain.training.close()
    await refused
  })
})
