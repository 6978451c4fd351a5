/** @module-tag service */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkflowStatus } from '@medloom/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { draw } from '../../../testing/draw.js'
import { type PeopleService, startPeopleService } from '../../../testing/people-service.js'
import { Place } from '../../../testing/training/training-service.js'
import { until } from '../../../testing/training/until.js'

let place: Place
let service: PeopleService
beforeEach(async () => {
  place = new Place()
  service = await startPeopleService(place, {
    python: join(import.meta.dirname, '../../../testing/node-worker.mjs'),
  })
  await service.create('ann', 'run')
  await service.create('bob', 'run')
})
afterEach(async () => {
  await service.close()
  place.remove()
})

test('a file of one user is not replaced by the run of another, even an administrator, who is shown its owner', async () => {
  /** Creates and runs a workflow that writes this description to the single path. */
  const write = async (user: string, description: string) => {
    const drawn = draw({ saved: ['SaveWorkflow', { path: 'flow.json', description }] })
    const { body } = await service.sendAs<{ workflow_id: string }>(
      user,
      'POST',
      '/api/workflow/create',
      drawn,
    )
    const path = `/api/workflow/${body.workflow_id}`
    const status = async () => (await service.sendAs<WorkflowStatus>(user, 'GET', `${path}/status`)).body
    await service.sendAs(user, 'POST', `${path}/execute`, {})
    await until(async () => ['success', 'error'].includes((await status()).status))
    return (await status()).nodes.saved
  }
  const text = () => readFileSync(join(place.dataDir, 'outputs', 'flow.json'), 'utf8')

  expect(await write('ann', 'first')).toMatchObject({ status: 'success' })
  expect(await write('ann', 'second')).toMatchObject({ status: 'success' })
  const ofAnn = text()
  expect(ofAnn).toContain('second')
  for (const user of ['bob', 'root'])
    expect((await write(user, 'third'))?.error).toMatchObject({
      type: 'OUTPUT_EXISTS',
      message: expect.stringContaining('a run of ann wrote it'),
    })
  expect(text()).toBe(ofAnn)
}, 60_000)
