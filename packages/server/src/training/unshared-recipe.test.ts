import { TrainingConfig } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { TrainingService, type TrainingServiceOptions } from './training.service.js'

const config = (recipe: object | null) =>
  TrainingConfig.parse({
    data: { train_csv: '/data/cases.csv', recipe },
    model: { vision_backbone: 'none', fusion_type: 'concatenate' },
    training: { epochs: 1, batch_size: 8 },
  })
const service = (sharesFolder: boolean) =>
  new TrainingService({ oneNode: null, sharesFolder } as unknown as TrainingServiceOptions)

it('refuses a recipe where nodes fetch only the files that tables name', async () => {
  await expect(service(false).startOf(config({ version: 1 }))).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    issues: [{ path: 'config.data.recipe', hint: expect.stringContaining('--exchange folder') }],
  })
  await expect(service(false).startOf(config(null))).resolves.toMatchObject({ config: config(null) })
  await expect(service(true).startOf(config({ version: 1 }))).resolves.toMatchObject({})
})
