import { expect, it } from 'vitest'
import { SlurmUnreachable } from './run-command.js'
import type { SlurmJob } from './slurm-commands.js'
import { SlurmQueue } from './slurm-queue.js'

const job = (name: string, state = 'RUNNING'): SlurmJob => ({
  id: '1',
  name,
  state,
  reason: null,
  exit: null,
})
const submitted = new Date()

function queueOf(
  jobs: () => SlurmJob[],
  ended: (names: readonly string[]) => SlurmJob[] | null,
  pollMilliseconds = 50,
) {
  const calls = { squeue: 0, sacct: 0 }
  const commands = {
    async jobs() {
      calls.squeue += 1
      return jobs()
    },
    async accounted(names: readonly string[]) {
      calls.sacct += 1
      return ended(names)
    },
  }
  const queue = new SlurmQueue({ commands, pollMilliseconds })
  return { calls, find: (name: string, after = 0) => queue.find(name, { after, submitted }) }
}

it('queries once for a thousand jobs, and once for all that have left the queue', async () => {
  const names = Array.from({ length: 1000 }, (_, index) => `medloom-${index}`)
  const here = names.slice(0, 500)
  const { find, calls } = queueOf(
    () => here.map((name) => job(name)),
    (missing) => missing.map((name) => job(name, 'COMPLETED')),
  )
  const found = await Promise.all(names.map((name) => find(name)))
  expect(found.filter((one) => one !== 'unknown' && one?.state === 'RUNNING')).toHaveLength(500)
  expect(found.filter((one) => one !== 'unknown' && one?.state === 'COMPLETED')).toHaveLength(500)
  expect(calls).toEqual({ squeue: 1, sacct: 1 })
})

it('does not treat a job as gone that was submitted after the query', async () => {
  const jobs = [job('first')]
  const { find, calls } = queueOf(
    () => [...jobs],
    () => null,
    60_000,
  )
  await find('first')
  jobs.push(job('second'))
  expect(await find('second', performance.now())).toMatchObject({ name: 'second' })
  expect(calls.squeue).toBe(2)
})

it('does not know the jobs while the controller does not answer', async () => {
  const { find } = queueOf(
    () => {
      throw new SlurmUnreachable('no answer')
    },
    () => [],
  )
  await expect(find('any')).rejects.toThrow('no answer')
})

it('waits for the accounting, which learns the end of a job later', async () => {
  let known: SlurmJob[] = [job('late')]
  const { find } = queueOf(
    () => [],
    () => known,
  )
  expect(await find('late')).toBe('unknown')
  known = [job('late', 'TIMEOUT')]
  expect(await find('late')).toMatchObject({ state: 'TIMEOUT' })
})

it('without accounting accepts a second query as proof that a job is gone', async () => {
  const { find, calls } = queueOf(
    () => [],
    () => null,
  )
  expect(await find('gone')).toBe('unknown')
  await expect.poll(() => find('gone')).toBeNull()
  expect(calls.squeue).toBeGreaterThan(1)
})

it('without accounting does not count one query twice, however long it was busy', async () => {
  const { find, calls } = queueOf(
    () => [],
    () => null,
  )
  await find('gone')
  const second = find('gone')
  // The view is still new when it is used again; the answer is processed later.
  const end = performance.now() + 60
  while (performance.now() < end);
  expect([await second, calls.squeue]).toEqual(['unknown', 1])
})
