import { TrainingConfig } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { parseDraft } from '../../forms/draft'
import { applyDataset, batchFor } from './apply-dataset'

const column = (name: string, role: string) => ({ name, role })
const dataset = (more: object = {}) =>
  ({
    name: 'syn',
    path: '/root/syn',
    kind: 'multimodal',
    num_cases: 300,
    splits: { train: 188, val: 50, test: 62 },
    columns: [column('image', 'image'), column('patient_id', 'patient'), column('label', 'label')],
    ...more,
  }) as never

describe('a configuration on a registered dataset', () => {
  it.each(['multimodal', 'image', 'tabular'])('of %s can be started as it is', (kind) => {
    const { value } = applyDataset(parseDraft(''), dataset({ kind }))
    expect(TrainingConfig.safeParse(value).error?.issues ?? []).toEqual([])
    expect(value).toMatchObject({
      data: { train_csv: '/root/syn/train.csv', val_csv: '/root/syn/val.csv', label_column: 'label' },
      training: { epochs: 20, batch_size: 16 },
    })
  })

  it('of survival can be started as it is, and names no label column', () => {
    const times = { time_column: 'months', event_column: 'died' }
    const columns = [column('image', 'image'), column('months', 'label'), column('risk', 'ignored')]
    const { value } = applyDataset(parseDraft(''), dataset({ columns, ...times }))
    expect(TrainingConfig.safeParse(value).error?.issues ?? []).toEqual([])
    expect(value).toMatchObject({ data: times })
  })

  it('of a recipe reads the folder itself, and is replaced by that of another dataset', () => {
    const recipe = { version: 1, label: { column: 'dx' } }
    const draft = applyDataset(parseDraft(''), dataset({ recipe }))
    expect(TrainingConfig.safeParse(draft.value).error?.issues ?? []).toEqual([])
    expect(draft.value).toMatchObject({ data: { train_csv: '/root/syn', recipe } })
    expect(draft.value.data).not.toHaveProperty('val_csv')
    const { value } = applyDataset(draft, dataset())
    expect(value).toMatchObject({ data: { train_csv: '/root/syn/train.csv' } })
    expect(value.data).not.toHaveProperty('recipe')
  })

  it('keeps what somebody has set, comments too', () => {
    const draft = parseDraft('model: # mine\n  vision_backbone: vit_base\ntraining:\n  epochs: 3\n')
    const { value, text } = applyDataset(draft, dataset())
    expect(value).toMatchObject({ model: { vision_backbone: 'vit_base', fusion_type: 'gated' } })
    expect(value).toMatchObject({ training: { epochs: 3 } })
    expect(text).toContain('# mine')
  })

  it('stands in a study as its base, beside what the study has already', () => {
    const { value } = applyDataset(parseDraft('seeds: 3\n'), dataset(), ['config'])
    expect(value.seeds).toBe(3)
    expect(TrainingConfig.safeParse(value.config).error?.issues ?? []).toEqual([])
  })

  it('has batches that fit few cases', () => {
    expect([5, 40, 300, 100_000].map(batchFor)).toEqual([2, 4, 32, 32])
  })
})
