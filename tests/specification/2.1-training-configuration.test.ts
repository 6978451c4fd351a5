import { describe, expect, it } from 'vitest'
import { Caller } from '../testing/http.js'
import { shared } from '../testing/shared.js'
import { trainingConfig } from '../testing/training.js'
import { shows } from './sentences/index.js'

const caller = new Caller(shared.url)
const dataset = shared.dataset

describe('2.1 Training configuration', () => {
  it('is a nested object: data, model, training', shows('2.1/nested'), async () => {
    const { status, body } = await caller.post('/api/training/start', { config: [], job_name: 'x' })
    expect([status, body.code]).toEqual([400, 'INVALID_CONFIG'])
    const job = await caller.status(shared.referenceJob)
    // The list "baselines" is not part of the model: it is outside the three sections.
    expect(Object.keys(job.config)).toEqual(['data', 'model', 'training', 'baselines'])
  })

  it('needs no field other than the six shown', shows('2.1/schema', '2.1/ranges'), async () => {
    const config = {
      data: { train_csv: `${dataset}/train.csv`, val_csv: `${dataset}/val.csv` },
      model: { vision_backbone: 'resnet18', fusion_type: 'concatenate' },
      training: { epochs: 1, batch_size: 8 },
    }
    const { status, body } = await caller.post('/api/training/start', {
      config,
      job_name: 'six fields pause=1',
    })
    expect(status).toBe(200)
    const job = await caller.status(String(body.job_id))
    expect(job.config).toMatchObject(config)
    await caller.post(`/api/training/${body.job_id}/stop`)
  })

  for (const [path, value] of [
    ['data.train_csv', 7],
    ['data.val_csv', {}],
    ['model.vision_backbone', true],
    ['model.fusion_type', 1],
    ['training.epochs', '3'],
    ['training.epochs', 1.5],
    ['training.batch_size', '8'],
    ['training.batch_size', null],
  ] as const)
    it(
      `${path} has the type shown: ${JSON.stringify(value)} is refused at its place`,
      shows(`2.1/${path}`),
      async () => {
        const [section = '', field = ''] = path.split('.')
        const config = trainingConfig(dataset, { [section]: { [field]: value } })
        const { status, body } = await caller.post('/api/training/start', { config, job_name: 'x' })
        expect(status).toBe(400)
        expect(body.issues).toEqual(
          expect.arrayContaining([expect.objectContaining({ path: `config.${path}` })]),
        )
      },
    )

  it(
    'names a backbone by its timm name or an alias, and a fusion strategy by its name',
    shows('2.1/model.vision_backbone', '2.1/model.fusion_type'),
    async () => {
      const { body } = await caller.get<{ backbones: { name: string; aliases: string[] }[] }>(
        '/api/backbones',
      )
      expect(body.backbones).toHaveLength(29)
      const job = await caller.status(shared.referenceJob)
      expect(body.backbones.find(({ name }) => name === job.config.model.vision_backbone)?.aliases).toContain(
        'mobilenetv3_small',
      )
    },
  )
})
