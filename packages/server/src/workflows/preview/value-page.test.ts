import { type NodeContent, ShownValue, VALUE_LIMITS } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { valuePage } from './value-page.js'

const blob = { sha256: 'a'.repeat(64), suffix: '.json', size_bytes: 3 }
const epochs = Array.from({ length: 5 }, (_, i) => ({
  epoch: i + 1,
  metrics: { loss: 1 / (i + 1) },
  time: 3,
}))

it('returns the epochs of a history page by page, and none of one that exceeds the size limit', async () => {
  const content: NodeContent = { content: 'history', document: blob, metrics: { loss: 0.2 } }
  const page = await valuePage(content, { offset: 3, size: 10 }, async () => ({ epochs }))
  expect(page).toEqual({
    value: {
      content: 'history',
      metrics: { loss: 0.2 },
      epochs: epochs.slice(3).map(({ time: _, ...epoch }) => epoch),
      num_epochs: 5,
    },
    total: 5,
  })
  const large = await valuePage(content, { offset: 0, size: 10 }, async () => null)
  expect(large.value).toMatchObject({ epochs: null })
})

it('shortens long lists and texts, and marks them', async () => {
  const facts = { columns: Array.from({ length: VALUE_LIMITS.items + 1 }, String), text: 'x' }
  const { value } = await valuePage(
    { content: 'config', settings: {}, facts },
    { offset: 0, size: 1 },
    async () => null,
  )
  expect(value).toMatchObject({ cut: true, facts: { text: 'x' } })
  expect(value.content === 'config' && value.facts.columns).toHaveLength(VALUE_LIMITS.items)
})

it('returns properties of models and cases, but neither paths nor digests of files', async () => {
  const model: NodeContent = {
    content: 'trained_model',
    job_id: 'j',
    model_id: null,
    checkpoint: 'runs/j/checkpoints/best',
    checkpoint_digest: 'd',
    settings: {},
    task: 'classification',
    classes: ['no', 'yes'],
    lineage: [],
    train_table: blob,
    val_table: null,
  }
  const { value } = await valuePage(model, { offset: 0, size: 1 }, async () => null)
  expect(ShownValue.parse(value)).toEqual({
    content: 'trained_model',
    job_id: 'j',
    model_id: null,
    settings: {},
    task: 'classification',
    classes: ['no', 'yes'],
  })
})

it('gives no classes of a label that is masked, since they are its values', async () => {
  const cases = {
    ...{ content: 'cases' as const, table: blob, num_cases: 2, num_patients: null, image_columns: [] },
    ...{
      label_column: 'surname',
      patient_column: null,
      feature_columns: [],
      task: 'classification' as const,
    },
    ...{ classes: ['Lee', 'Roe'], images_digest: null, split: 'all' as const, settings: {}, lineage: [] },
    split_of: null,
  }
  const shown = async (more: object) =>
    (await valuePage({ ...cases, ...more }, { offset: 0, size: 1 }, async () => null)).value
  expect(await shown({})).toMatchObject({ classes: ['Lee', 'Roe'] })
  expect(await shown({ masked_columns: ['surname'] })).toMatchObject({ classes: null })
})

it('shows the subgroups of an evaluation without small counts', async () => {
  const group = (name: string, events: number) => ({
    ...{ column: 'site', group: name, cases: 40, patients: 40, events, metrics: {}, reason: null },
  })
  const subgroups = [group('a', 20), group('b', 3)]
  const content: NodeContent = { content: 'evaluation', document: blob, metrics: {} }
  const { value } = await valuePage(content, { offset: 0, size: 1 }, async () => ({ subgroups }))
  expect(value).toMatchObject({ document: { subgroups: [{ events: null }, { events: null }] } })
})
