import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TrainingDomain } from '../../../testing/training/training-domain.js'
import { until } from '../../../testing/training/until.js'
import { AppError } from '../../errors.js'
import type { Slot } from './device-slots.js'

let domain: TrainingDomain
beforeEach(async () => {
  domain = new TrainingDomain()
  await domain.open()
  domain.launcher.room = { accelerators: ['cuda:0'], maxJobs: null }
})
afterEach(() => domain.remove())

const never = new AbortController().signal
const slots = () => domain.training.slots
const taken = async (slot: Promise<Slot | null>): Promise<Slot> => {
  const granted = await slot
  if (!granted) throw new Error('no slot was free')
  return granted
}
const end = async (jobId: string) => {
  const trainer = await domain.submitted(jobId)
  domain.exchanges.get(jobId).writeEvent(domain.completed())
  trainer.state = 'gone'
}
const isSubmitted = (jobId: string) => domain.launcher.trainers.has(`${jobId}-1`)

describe('a slot for other work', () => {
  it('reserves the accelerator until it is released', async () => {
    const slot = await taken(slots().tryAcquire('auto'))
    const jobId = await domain.accept({ device: 'auto' })
    const other = await domain.accept({ device: 'cpu' })
    // The job behind it runs, so the queue has started everything that it can.
    await domain.submitted(other)
    expect(isSubmitted(jobId)).toBe(false)
    slot.release()
    await domain.submitted(jobId)
    // A second release frees nothing: the accelerator belongs to the job.
    slot.release()
    expect(await slots().tryAcquire('auto')).toBeNull()
  })

  it('is given in order: after earlier jobs, before later ones', async () => {
    const first = await domain.accept({ device: 'auto' })
    const second = await domain.accept({ device: 'auto' })
    await domain.submitted(first)
    let given: Slot | undefined
    const waiting = slots()
      .acquire('cuda', never)
      .then((slot) => {
        given = slot
      })
    // Its turn is taken once the capacity is known, like that of a later job.
    await slots().tryAcquire('auto')
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
    expect((await taken(slots().tryAcquire('auto'))).device).toBe('cuda:1')
    expect(await slots().tryAcquire('cuda:1')).toBeNull()
  })

  it('counts toward the maximum number of parallel jobs', async () => {
    domain.launcher.room = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: 1 }
    const slot = await taken(slots().tryAcquire('auto'))
    expect(await slots().tryAcquire('auto')).toBeNull()
    slot.release()
    ;(await taken(slots().tryAcquire('auto'))).release()
  })

  it('is not needed on the CPU, or for a device that does not exist', async () => {
    const jobId = await domain.accept({ device: 'auto' })
    await domain.submitted(jobId)
    for (const device of ['cpu', 'cpu:4', 'mps', 'cuda:7'])
      expect([device, (await slots().tryAcquire(device))?.device]).toEqual([device, device])
    domain.launcher.room = { accelerators: [], maxJobs: null }
    expect((await slots().acquire('auto', never)).device).toBe('auto')
  })

  it('is not given while a job waits for it', async () => {
    domain.launcher.room = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: null }
    const first = await domain.accept({ device: 'cuda:0' })
    await domain.submitted(first)
    const both = await domain.accept({ device: 'cuda:0,1' })
    expect(await slots().tryAcquire('cuda:1')).toBeNull()
    await end(first)
    await domain.submitted(both)
  })

  it('is a device of the service machine if a cluster trains, even while that cannot be reached', async () => {
    await domain.restart(async () => {
      domain.launcher.isCluster = true
      domain.launcher.room = new AppError('CLUSTER_UNREACHABLE', { english: 'the cluster does not answer' })
    })
    for (const [device, own] of [
      ['cuda:1', 'auto'],
      ['auto', 'auto'],
      ['cpu', 'cpu'],
    ] as const)
      expect([
        device,
        (await slots().tryAcquire(device))?.device,
        (await slots().acquire(device, never)).device,
      ]).toEqual([device, own, own])
    await expect(slots().acquire('cpu', AbortSignal.abort())).rejects.toMatchObject({
      code: 'TRAINER_FAILED',
    })
  })

  it('is not reserved for a disconnected caller, so that later ones proceed', async () => {
    domain.launcher.room = { accelerators: ['cuda:0', 'cuda:1'], maxJobs: null }
    const slot = await taken(slots().tryAcquire('cuda:0'))
    const abort = new AbortController()
    const waiting = slots().acquire('cuda:0,1', abort.signal)
    const refused = expect(waiting).rejects.toMatchObject({ code: 'TRAINER_FAILED' })
    expect(await slots().tryAcquire('cuda:1')).toBeNull()
    const jobId = await domain.accept({ device: 'cuda:1' })
    abort.abort()
    await refused
    await domain.submitted(jobId)
    slot.release()
    await expect(slots().acquire('cuda:0', abort.signal)).rejects.toMatchObject({ code: 'TRAINER_FAILED' })
  })

  it('is given while the queue is paused, since no trainer is started then', async () => {
    domain.launcher.refusal = new AppError('DISK_FULL', { english: 'no space left' })
    await domain.accept({ device: 'auto' })
    await until(() => domain.training.pause() !== null)
    ;(await taken(slots().tryAcquire('auto'))).release()
  })

  it('is refused when the service closes', async () => {
    await domain.submitted(await domain.accept({ device: 'auto' }))
    const waiting = slots().acquire('auto', never)
    const refused = expect(waiting).rejects.toMatchObject({ code: 'WORKER_TIMEOUT' })
    await slots().tryAcquire('auto')
    domain.training.close()
    await refused
  })
})
