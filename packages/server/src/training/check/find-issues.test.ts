import { expect, test } from 'vitest'
import { AppError } from '../../errors.js'
import { findIssues } from './find-issues.js'

const roots = { resolve: async (path: string) => path, resolveTable: async (path: string) => path }

test('a check reports that the user has used their share of the queue, like a start', async () => {
  const message = 'ann has reached the limit of 2 queued jobs'
  const options = {
    roots,
    startOf: async (config: unknown) => ({ config }) as never,
    queueRefusal: async (owner: string | null) =>
      owner === 'ann' ? new AppError('QUOTA_EXCEEDED', { english: message }) : null,
  }
  const config = {
    data: { train_csv: 'train.csv' },
    model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
    training: { epochs: 3, batch_size: 4 },
  }
  const { issues } = await findIssues(config, 'ann', options)
  expect(issues).toMatchObject([{ path: '', code: 'QUOTA_EXCEEDED', message }])
  expect((await findIssues(config, 'bob', options)).issues).toEqual([])
})
