import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { networksInWords, networksOf, TrainingConfig } from '../index.js'

interface Case {
  readonly model: object
  readonly device: string
  readonly networks: number
}
const cases: Case[] = JSON.parse(
  readFileSync(new URL('../../testing/networks.json', import.meta.url), 'utf8'),
)
const configOf = ({ model, device }: Case, baselines: object = { baselines: [] }) =>
  TrainingConfig.parse({
    data: { train_csv: 'train.csv' },
    ...{ model, training: { epochs: 1, batch_size: 4, device }, ...baselines },
  })

test.each(cases)('a training of $model on $device trains $networks networks', (given) => {
  expect(networksOf(configOf(given))).toBe(given.networks)
})

test('baselines that are networks count, those of scikit-learn do not', () => {
  const late = { model: { vision_backbone: 'resnet18', fusion_type: 'late' }, device: 'auto', networks: 6 }
  expect(networksOf(configOf(late, { baselines: ['image_only', 'table_only'] }))).toBe(6 + 1 + 5)
  expect(networksOf(configOf(late, {}))).toBe(6)
  expect([networksInWords(1), networksInWords(12)]).toEqual(['1 network', '12 networks'])
})
