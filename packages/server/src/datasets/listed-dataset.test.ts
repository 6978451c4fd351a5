import { DatasetSummary, phrase } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { listedDataset } from './listed-dataset.js'

const LONG = 'x'.repeat(2000)
const many = (count: number) => Array.from({ length: count }, (_, index) => `${index} ${LONG}`)

const summary = (own: Partial<DatasetSummary> = {}): DatasetSummary => ({
  ...{ dataset_id: 'a', name: 'study', owner: null, created_at: '2026-01-02T03:04:05.000Z' },
  ...{ path: '/data/study.csv', kind: 'tabular', num_cases: 3, num_patients: null, task: 'classification' },
  ...{ classes: [{ name: 'benign', count: 3 }], splits: { train: 3 }, digest: 'd', note: 'a note' },
  readiness: {
    status: 'warning',
    checks: [
      {
        ...{ key: 'files_changed', status: 'warning', message: 'it changed', hint: null },
        message_phrases: [phrase('files_changed')],
      },
    ],
  },
  ...own,
})

test('a dataset with short texts is listed as it is', () => {
  expect(listedDataset(summary())).toEqual(summary())
  expect(listedDataset(summary({ classes: null }))).toEqual(summary({ classes: null }))
})

test('whatever may be long is shortened, so that a page of 1000 datasets has at most some megabytes', () => {
  const check = { key: 'a', status: 'warning' as const, message: LONG, hint: LONG }
  const phrases = [{ code: phrase('files_not_found', { path: LONG }).code, values: { path: LONG } }]
  const long = summary({
    ...{ name: LONG, note: LONG, ignore_columns: many(100) },
    classes: many(5000).map((name) => ({ name, count: 1 })),
    splits: Object.fromEntries(many(100).map((name) => [name, 1])),
    readiness: {
      status: 'warning',
      checks: many(100).map(() => ({ ...check, message_phrases: phrases, hint_phrases: phrases })),
    },
  })
  const listed = listedDataset(long)
  expect(JSON.stringify(listed).length).toBeLessThan(60_000)
  expect(listed.num_classes).toBe(5000)
  expect(DatasetSummary.safeParse(listed).success).toBe(true)
  // Stored short, it is listed in the same way.
  expect(listedDataset(listed)).toEqual(listed)
})
