import { expect, test } from 'vitest'
import { Lane } from './lane.js'
import type { ProcessSource, WorkerProcess } from './worker-process.js'

const source: ProcessSource = {
  take: () => ({ inactiveMilliseconds: 0 }) as WorkerProcess,
  giveBack: () => undefined,
  settle: () => undefined,
  close: async () => undefined,
}

test('users take turns: six tasks of one user delay that of another by only one', () => {
  const lane = new Lane(source, () => 1, 1000)
  const served: string[] = []
  let process = lane.take('ann')
  const wait = (user: string, name: string) =>
    lane.wait({
      user,
      since: 0,
      resolve: (next) => {
        served.push(name)
        process = next
      },
      reject: () => served.push(`${name} refused`),
    })
  const leaves = [2, 3, 4, 5, 6].map((number) => wait('ann', `ann ${number}`))
  wait('bob', 'bob 1')
  wait('bob', 'bob 2')
  leaves[1]?.()
  expect(lane.waiting).toBe(6)
  for (let count = 0; count < 4; count++) lane.giveBack(process)
  expect(served).toEqual(['ann 2', 'bob 1', 'ann 4', 'bob 2'])
  lane.reject(new Error('closing'))
  expect(served.slice(4)).toEqual(['ann 5 refused', 'ann 6 refused'])
  expect([lane.waiting, lane.waitedSeconds]).toEqual([0, 0])
})

test('while one user has all processes, the others share one additional process', () => {
  const lane = new Lane(source, () => 2, 1000, 1)
  const served: string[] = []
  const wait = (user: string) =>
    lane.wait({ user, since: 0, resolve: () => served.push(user), reject: () => undefined })
  lane.take('ann')
  lane.take('ann')
  expect(['ann', 'bob'].map((user) => lane.hasRoomFor(user))).toEqual([false, true])
  wait('ann')
  const ofBob = lane.take('bob')
  expect(['ann', 'bob', 'eve'].map((user) => lane.hasRoomFor(user))).toEqual([false, false, false])
  wait('bob')
  wait('eve')
  lane.giveBack(ofBob)
  expect(served).toEqual(['bob'])
  expect(lane.busy.size).toBe(3)
})
