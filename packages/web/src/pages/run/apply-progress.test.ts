import type { JobMessage, RouteResponse } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { applyProgress } from './apply-progress'

it('a message of progress says epoch and phase at once, whatever was read before', () => {
  const read = { status: 'started', phase: 'preparing', queue_position: 1, epoch: 0, metrics: { loss: 1 } }
  const message = { type: 'progress', epoch: 3, eta_seconds: 12, metrics: { train_loss: 0.5 } }
  expect(
    applyProgress(
      read as unknown as RouteResponse<'getJobStatus'>,
      message as unknown as Extract<JobMessage, { type: 'progress' }>,
    ),
  ).toEqual({
    ...{ status: 'running', phase: 'training', queue_position: null, stalled: null },
    ...{ epoch: 3, eta_seconds: 12, metrics: { loss: 1, train_loss: 0.5 } },
  })
})
