import { expect, it } from 'vitest'
import { resourcesOf } from './resources.js'

it.each([
  ['no accelerator', [], null, 1],
  ['one GPU', ['cuda:0'], null, 1],
  ['four GPUs', ['cuda:0', 'cuda:1', 'cuda:2', 'cuda:3'], null, 4],
  ['the accelerator of a Mac', ['mps'], null, 1],
  ['a CPU on which three trainings may run', [], 3, 3],
  [
    'two GPUs that one training at a time may use: the scheduler makes the second node wait',
    ['cuda:0', 'cuda:1'],
    1,
    2,
  ],
  ['two GPUs that four trainings may share', ['cuda:0', 'cuda:1'], 4, 4],
])('%s', (_, accelerators, maxJobs, gpu) => {
  expect(resourcesOf({ accelerators, maxJobs }).gpu).toBe(gpu)
})
