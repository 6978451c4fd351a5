import { describe, expect, it } from 'vitest'
import { until } from '../../../testing/training/until.js'
import { RayRefusal, RayUnreachable } from './ray-http.js'
import type { RayJob } from './ray-jobs.js'
import { Submitting } from './ray-submission.js'
import { type Arrival, type RayHandle, rayTrainer } from './ray-trainer.js'

/** A head whose answers a test determines. */
class Head {
  job: RayJob | null | Error = null
  session = 'session_1'
  /** Outcome of each submission that was sent. */
  submit: () => Promise<void> = async () => undefined
  submitted = 0
  readonly stopped: string[] = []
  readonly jobs = {
    details: async () => {
      if (this.job instanceof Error) throw this.job
      return this.job
    },
    version: async () => ({ session_name: this.session, ray_version: '2.60.0' }),
    stop: async (id: string) => void this.stopped.push(id),
    submit: async () => {
      this.submitted += 1
      await this.submit()
    },
  }
  is(status: RayJob['status'], rest: Partial<RayJob> = {}): void {
    this.job = { status, ...rest }
  }
}

const handle: RayHandle = { launcher: 'ray', submission_id: 'a-1', session: 'session_1' }
const follow = (head: Head, arrival?: Arrival) =>
  rayTrainer(handle, { jobs: head.jobs, pollMilliseconds: 1, arrivalMilliseconds: 30 }, arrival)
const submission = { submission_id: 'a-1', entrypoint: '', runtime_env: { env_vars: {} }, metadata: {} }
const submit = (head: Head) => new Submitting(submission, head.jobs, { warn: () => undefined }, 1)

describe('a trainer that is a job of Ray', () => {
  it('waits with the reason of Ray, runs, and ends with the cause', async () => {
    const head = new Head()
    head.is('PENDING', { message: 'Job has not started yet. It may be waiting for resources.' })
    const trainer = follow(head)
    expect(await trainer.state()).toBe('pending')
    expect(trainer.waitsFor?.()?.english).toContain('waiting for resources')
    head.is('RUNNING')
    await trainer.begun
    expect([await trainer.state(), trainer.waitsFor?.()]).toEqual(['running', null])
    head.is('FAILED', { driver_exit_code: 137, message: 'Job entrypoint command failed\nlast line\n' })
    expect((await trainer.gone).english).toBe('Ray: FAILED, exit code 137, last line')
    expect(trainer.interruption?.(null)).toBeNull()
  })

  it('is neither gone nor started while Ray cannot be reached', async () => {
    const head = new Head()
    head.job = new RayUnreachable('no answer')
    const trainer = follow(head)
    expect(await trainer.state()).toBe('unknown')
    head.is('RUNNING')
    await trainer.begun
    head.job = new RayUnreachable('no answer')
    expect(await trainer.state()).toBe('unknown')
    trainer.release()
  })

  it('is gone with its head, and continues with the next attempt', async () => {
    const head = new Head()
    head.is('RUNNING')
    const trainer = follow(head)
    await trainer.begun
    head.job = null
    head.session = 'session_2'
    expect((await trainer.gone).english).toContain('head node of the Ray cluster was restarted')
    expect(trainer.interruption?.(null)?.english).toContain('was restarted')
  })

  it('may arrive for a while, if a service died while it submitted', async () => {
    const head = new Head()
    const trainer = follow(head)
    expect(await trainer.state()).toBe('unknown')
    expect((await trainer.gone).english).toBe('Ray has no record of the submission')
    expect(trainer.interruption?.(null)).toBeNull()
  })

  it.each<[string, Partial<RayJob>, string | null]>([
    ['its node', { error_type: 'JOB_SUPERVISOR_ACTOR_DIED', message: 'actor died: node died' }, 'node died'],
    [
      'the memory of its node',
      { error_type: 'JOB_SUPERVISOR_ACTOR_DIED', message: 'killed: out of memory' },
      null,
    ],
    ['its own failure', { driver_exit_code: 1, message: 'Job entrypoint command failed' }, null],
  ])('that was ended by %s', async (_, rest, interruption) => {
    const head = new Head()
    head.is('FAILED', rest)
    const trainer = follow(head)
    await trainer.gone
    const found = trainer.interruption?.(null)?.english ?? null
    expect(found).toEqual(interruption === null ? null : expect.stringContaining(interruption))
  })

  it('that reports a lost process of its group was interrupted; one that reports a failure was not', async () => {
    const head = new Head()
    head.is('FAILED', { driver_exit_code: 1 })
    const trainer = follow(head)
    await trainer.gone
    const reported = (code: string) => ({ type: 'error', code, message: 'process 2 was killed' }) as never
    expect(trainer.interruption?.(reported('WORKER_LOST'))?.english).toBe('process 2 was killed')
    expect(trainer.interruption?.(reported('OUT_OF_MEMORY'))).toBeNull()
    // A user has stopped it in Ray.
    expect(trainer.interruption?.({ type: 'completed', status: 'stopped' } as never)).toBeNull()
  })

  it('without room in time never started', async () => {
    const head = new Head()
    head.is('FAILED', { error_type: 'JOB_SUPERVISOR_ACTOR_START_TIMEOUT' })
    const trainer = follow(head)
    await trainer.gone
    expect(trainer.hadNoRoom?.()).toBe(true)
  })
})

describe('a submission', () => {
  it('with a lost answer is looked up before it is sent again', async () => {
    const head = new Head()
    head.submit = async () => {
      head.is('RUNNING')
      throw new RayUnreachable('the connection broke')
    }
    const submitting = submit(head)
    const trainer = follow(head, submitting)
    await submitting.done
    await trainer.begun
    expect(head.submitted).toBe(1)
    trainer.release()
  })

  it('that did not arrive is sent again, and waits meanwhile', async () => {
    const head = new Head()
    head.submit = async () => {
      if (head.submitted < 3) throw new RayUnreachable('no agent')
      head.is('RUNNING')
    }
    const submitting = submit(head)
    const trainer = follow(head, submitting)
    expect([await trainer.state(), trainer.waitsFor?.()?.english]).toEqual([
      'pending',
      expect.stringContaining('confirmed'),
    ])
    await trainer.begun
    expect(head.submitted).toBe(3)
    trainer.release()
  })

  it('that Ray refuses is gone, with the message of Ray', async () => {
    const head = new Head()
    head.submit = async () => {
      throw new RayRefusal('TypeError: unexpected keyword')
    }
    expect((await follow(head, submit(head)).gone).english).toBe(
      'Ray rejects the job: TypeError: unexpected keyword',
    )
  })

  it('that is not wanted any more is not sent again', async () => {
    const head = new Head()
    head.submit = async () => {
      throw new RayUnreachable('no agent')
    }
    const submitting = submit(head)
    const trainer = follow(head, submitting)
    await until(() => head.submitted > 1)
    await trainer.kill()
    await submitting.done
    const { submitted } = head
    await trainer.gone
    expect([head.submitted, head.stopped]).toEqual([submitted, ['a-1']])
  })
})
