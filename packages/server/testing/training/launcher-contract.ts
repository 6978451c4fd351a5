import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Launcher, RunningTrainer, TrainerHandle, TrainerOrder } from '../../src/ports/launcher.js'
import { until } from './until.js'

/** Resources of a trainer whose order specifies none. */
export const ONE_PROCESS = { nodes: 1, processes: 1, cpus: 1, gpus: 0 }

/** A launcher, and the functions with which a test observes its trainers. */
export interface LauncherSubject {
  readonly launcher: Launcher
  /** An order for a trainer that trains until it is requested to end. */
  order(): Promise<TrainerOrder>
  /** Number of times that a trainer has started to execute this order. */
  beginnings(order: TrainerOrder): number
  /** Let the trainer end by itself. */
  finish(order: TrainerOrder): Promise<void>
  close(): Promise<void>
}

/** Requirements for every launcher; run for each of them. */
export function describeLauncher(name: string, create: () => Promise<LauncherSubject>): void {
  describe(`the launcher contract, fulfilled by ${name}`, () => {
    let subject: LauncherSubject
    let launcher: Launcher
    const trainers: RunningTrainer[] = []
    beforeEach(async () => {
      subject = await create()
      launcher = subject.launcher
    })
    afterEach(async () => {
      for (const { handle, release } of trainers.splice(0)) {
        const trainer = launcher.attach(handle)
        await trainer.kill().catch(() => undefined)
        await trainer.gone
        release()
      }
      await subject.close()
    })
    const begin = async (order: TrainerOrder) => {
      const trainer = await launcher.submit(order, async () => true)
      if (!trainer) throw new Error('the order was not taken')
      trainers.push(trainer)
      await until(() => subject.beginnings(order) > 0)
      return trainer
    }

    it('returns its capacity', async () => {
      const { accelerators, maxJobs } = await launcher.capacity()
      expect(accelerators).toBeInstanceOf(Array)
      expect(maxJobs === null || maxJobs > 0).toBe(true)
    })

    it('names the trainer in plain JSON before it starts', async () => {
      const order = await subject.order()
      let recorded: TrainerHandle | undefined
      let beginningsBefore = -1
      const trainer = await launcher.submit(order, async (handle) => {
        // Long enough to see a trainer that did not wait.
        await new Promise((resume) => setTimeout(resume, 100))
        recorded = handle
        beginningsBefore = subject.beginnings(order)
        return true
      })
      if (trainer) trainers.push(trainer)
      expect(beginningsBefore).toBe(0)
      expect(recorded).toEqual(trainer?.handle)
      expect(JSON.parse(JSON.stringify(recorded))).toEqual(recorded)
      expect(typeof recorded?.launcher).toBe('string')
      await until(() => subject.beginnings(order) === 1)
    })

    it('starts nothing that was not recorded', async () => {
      const refused = await subject.order()
      expect(await launcher.submit(refused, async () => false)).toBeNull()
      const failed = await subject.order()
      const full = new Error('the disk is full')
      await expect(
        launcher.submit(failed, async () => {
          throw full
        }),
      ).rejects.toBe(full)
      // An order that is started later has already started, so those would have too.
      await begin(await subject.order())
      expect(subject.beginnings(refused)).toBe(0)
      expect(subject.beginnings(failed)).toBe(0)
    })

    it('starts one trainer per job and attempt, however often it is called', async () => {
      const order = await subject.order()
      const first = await begin(order)
      const again = await launcher.submit(order, async () => {
        throw new Error('recorded twice')
      })
      expect(again?.handle).toEqual(first.handle)
      await first.kill()
      await first.gone
      const late = await launcher.submit(order, async () => {
        throw new Error('recorded after its end')
      })
      expect(late?.handle).toEqual(first.handle)
      expect((await late?.gone)?.english).toBeTypeOf('string')
      expect(subject.beginnings(order)).toBe(1)
    })

    it('follows a trainer from its start to its end', async () => {
      const order = await subject.order()
      const trainer = await begin(order)
      await trainer.begun
      expect(await trainer.state()).toBe('running')
      await subject.finish(order)
      expect((await trainer.gone).english).toBeTypeOf('string')
      expect(await trainer.state()).toBe('gone')
    })

    it('finds a trainer by its handle, like a later service', async () => {
      const order = await subject.order()
      const { handle } = await begin(order)
      const found = launcher.attach(JSON.parse(JSON.stringify(handle)))
      trainers.push(found)
      await found.begun
      expect(await found.state()).toBe('running')
      await subject.finish(order)
      await found.gone
      expect(await launcher.attach(handle).state()).toBe('gone')
    })

    it('ends a trainer that is killed, and ignores one that is gone', async () => {
      const trainer = await begin(await subject.order())
      await trainer.kill()
      await trainer.gone
      await trainer.kill()
      expect(await trainer.state()).toBe('gone')
    })

    it('does not affect a trainer that is released', async () => {
      const order = await subject.order()
      const trainer = await begin(order)
      trainer.release()
      launcher.close()
      expect(await launcher.attach(trainer.handle).state()).toBe('running')
    })

    it('treats a trainer of another launcher as unknown, not as gone', async () => {
      const foreign = launcher.attach({ launcher: 'elsewhere', id: 7 })
      expect(await foreign.state()).toBe('unknown')
      await expect(foreign.stop()).rejects.toThrow('elsewhere')
      await expect(foreign.kill()).rejects.toThrow('elsewhere')
    })
  })
}
