/** @module-tag service */
import { expect, test } from 'vitest'
import { TrainingDomain } from '../../../testing/training/training-domain.js'
import { DatabaseError } from '../../database/database-error.js'

const REPLACED = new DatabaseError('another process is the controller', 'lost', undefined)

test('a replaced service starts no trainer, even after it stored its handle', async () => {
  const domain = new TrainingDomain()
  await domain.open()
  domain.replaced = REPLACED
  const jobId = await domain.accept()
  await domain.until(jobId, ({ attempt }) => attempt === 1)
  await domain.restart()
  expect(domain.launcher.trainers.size).toBe(0)
  await domain.remove()
})

test('a replaced service neither stops nor kills a trainer', async () => {
  const domain = new TrainingDomain()
  await domain.open()
  const jobId = await domain.accept()
  const trainer = await domain.submitted(jobId)
  domain.phase(jobId, 1)
  await domain.until(jobId, ({ phase }) => phase === 'training')
  domain.replaced = REPLACED
  const stopped = domain.training.gateway.stop(jobId)
  // Longer than its grace period of one second, after which it would send both.
  await new Promise((resume) => setTimeout(resume, 3000))
  expect(trainer.received).toEqual([])
  domain.replaced = null
  await stopped
  expect(trainer.received).toContain('kill')
  await domain.remove()
})
