import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SlurmRefusal, SlurmUnreachable } from './run-command.js'
import type { SlurmJob } from './slurm-commands.js'
import { SlurmQueue } from './slurm-queue.js'
import { SlurmSubmission } from './slurm-submission.js'

const NAME = 'medloom-a-1'
const POLL = 20

describe('a submission to Slurm', () => {
  let jobs: SlurmJob[]
  let sent: number
  let looks: number
  /** Called right before a query of the queue. */
  let beforeLook: (look: number) => void
  let submissions: SlurmSubmission[]
  beforeEach(() => {
    jobs = []
    submissions = []
    sent = 0
    looks = 0
    beforeLook = () => undefined
  })
  afterEach(() => {
    for (const submission of submissions) submission.giveUp()
  })

  const arrive = () => jobs.push({ id: '1', name: NAME, state: 'PENDING', reason: null, exit: null })
  const lost = () => {
    throw new SlurmUnreachable('Socket timed out on send/recv operation')
  }
  /** @param outcomes of the successive submissions; the last one applies to all further submissions. */
  const submissionOf = (...outcomes: (() => unknown)[]) => {
    const queue = new SlurmQueue({
      commands: {
        async jobs() {
          beforeLook(++looks)
          return [...jobs]
        },
        accounted: async () => null,
      },
      pollMilliseconds: POLL,
    })
    const submission = new SlurmSubmission({
      submit: async () => (outcomes[sent++] ?? outcomes.at(-1))?.(),
      async isThere(after) {
        const found = await queue.find(NAME, { after, submitted: new Date() })
        return found === 'unknown' ? found : found !== null
      },
      log: { warn: () => undefined },
      retryMilliseconds: POLL,
    })
    submissions.push(submission)
    return submission
  }
  const settled = (submission: SlurmSubmission) => expect.poll(() => submission.isPending).toBe(false)

  it('with a lost answer is not sent again if Slurm has it', async () => {
    const submission = submissionOf(() => {
      arrive()
      lost()
    })
    await settled(submission)
    expect([sent, submission.refusal]).toEqual([1, null])
  })

  it('that arrives late is waited for: one query without it is not enough', async () => {
    beforeLook = (look) => {
      if (look === 2) arrive()
    }
    await settled(submissionOf(lost))
    expect([sent, looks]).toEqual([1, 2])
  })

  it('that never arrived is sent again', async () => {
    const submission = submissionOf(lost, arrive)
    await settled(submission)
    expect([sent, jobs.length, submission.refusal]).toEqual([2, 1, null])
  })

  it('is not sent again after it is given up', async () => {
    const submission = submissionOf(lost)
    await expect.poll(() => sent).toBe(1)
    submission.giveUp()
    await settled(submission)
    expect(sent).toBe(1)
  })

  it('that is refused ends', async () => {
    const submission = submissionOf(() => {
      throw new SlurmRefusal('Invalid account')
    })
    await settled(submission)
    expect([sent, submission.refusal?.english]).toEqual([1, 'Slurm rejects the job: Invalid account'])
  })
})
