import { expect, test } from 'vitest'
import { TaskPlaces } from './task-places.js'

test('one of several users has half of the tasks, the others have the rest', () => {
  const places = new TaskPlaces(4)
  const free = places.take('ann', true)
  places.take('ann', true)
  expect(() => places.take('ann', true)).toThrow(
    expect.objectContaining({
      code: 'QUEUE_FULL',
      message: '2 tasks of ann run or wait already; where there are several users, one may have 2 of the 4',
    }),
  )
  places.take('bob', true)
  // A slot that is released twice is free only once.
  free()
  free()
  places.take('ann', true)
  expect(() => places.take('ann', true)).toThrow('2 tasks of ann')
  places.take('bob', true)
  expect(() => places.take('eve', true)).toThrow('4 tasks run or wait already')
})

test('a single user has all tasks', () => {
  const places = new TaskPlaces(3)
  for (const owner of ['local', 'local', null]) places.take(owner, false)
  expect(() => places.take('local', false)).toThrow('3 tasks run or wait already')
})
