import { expect, test } from 'vitest'
import { TaskSlots } from './task-slots.js'

test('one of several users has half of the tasks, the others have the rest', () => {
  const places = new TaskSlots(4)
  const free = places.take('ann', true)
  places.take('ann', true)
  expect(() => places.take('ann', true)).toThrow(
    expect.objectContaining({
      code: 'QUEUE_FULL',
      message: 'ann already has 2 running and queued tasks; with several users, each can have 2 of 4',
    }),
  )
  places.take('bob', true)
  // A slot that is released twice is free only once.
  free()
  free()
  places.take('ann', true)
  expect(() => places.take('ann', true)).toThrow('ann already has 2')
  places.take('bob', true)
  expect(() => places.take('eve', true)).toThrow('the limit of 4 running and queued tasks is reached')
})

test('a single user has all tasks', () => {
  const places = new TaskSlots(3)
  for (const owner of ['local', 'local', null]) places.take(owner, false)
  expect(() => places.take('local', false)).toThrow('the limit of 3 running and queued tasks is reached')
})
