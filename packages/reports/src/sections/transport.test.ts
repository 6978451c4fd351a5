/** @module-tag documents */
import { readFileSync } from 'node:fs'
import { EvaluationResult } from '@medloom/contracts'
import { expect, it } from 'vitest'
import type { Section, Table } from '../document/document.js'
import { transportSection } from './transport.js'

const binary = EvaluationResult.parse(
  JSON.parse(readFileSync(new URL('../../testing/binary.json', import.meta.url), 'utf8')),
)
const numeric = (name: string, smd: number | null) => ({
  name,
  kind: 'numeric' as const,
  smd,
  chance: smd === null ? null : 0.15,
  trained: { mean: 50, sd: 10 },
  evaluated: { mean: 56, sd: 14 },
  unseen: null,
  missing_trained: 0.1,
  missing: 0.2,
  differs: (smd ?? 0) > 0.25,
  reason: smd === null ? 'it does not vary' : null,
})
const shift: NonNullable<EvaluationResult['shift']> = {
  cases_trained: 400,
  inputs: [
    numeric('age', 0.49),
    { ...numeric('sex', 0.12), kind: 'categorical', trained: null, evaluated: null, unseen: 7 },
    { ...numeric('itch', null), trained: null, evaluated: null, missing: 1 },
  ],
  outcome: {
    smd: 0.2,
    classes: [
      { name: 'benign', trained: 0.6, evaluated: 0.7 },
      { name: 'malignant', trained: 0.4, evaluated: 0.3 },
    ],
    trained: null,
    evaluated: null,
  },
}
const tables = (section: Section | null) =>
  (section?.blocks ?? []).filter((block): block is Table => block.kind === 'table')
const section = (more: Partial<EvaluationResult>) => transportSection({ ...binary, ...more })

it('is not there in results of older versions, nor where nothing is known', () => {
  expect(section({})).toBeNull()
  expect(section({ shift: null, recalibration: null })).toBeNull()
})

it('lists the inputs by size, and warns of large differences in words', () => {
  const found = section({ shift })
  const [inputs, outcome] = tables(found)
  expect(inputs?.rows.map(([name]) => name)).toEqual(['age', 'sex', 'itch'])
  expect(inputs?.rows[0]).toEqual([
    'age',
    { text: '0.490', share: 0.49 },
    '0.150',
    { text: '50', below: 'SD 10' },
    { text: '56', below: 'SD 14' },
    '10.0%',
    '20.0%',
    '–',
  ])
  expect(inputs?.rows.map((row) => row.at(-1)).slice(1)).toEqual([
    '7 cases with a category not seen in training',
    'all values are missing in the evaluated table',
  ])
  expect(outcome?.rows).toEqual([
    ['benign', '60.0%', '70.0%'],
    ['malignant', '40.0%', '30.0%'],
  ])
  const notice = found?.blocks.find((block) => block.kind === 'notice')
  expect(notice).toMatchObject({ tone: 'warning', title: expect.stringContaining('Large shift in 1 input') })
  const recoded = {
    ...numeric('sex', null),
    kind: 'categorical' as const,
    trained: null,
    evaluated: null,
    unseen: 60,
    differs: true,
    reason: 'no category of these cases occurs in training',
  }
  expect(section({ shift: { ...shift, inputs: [recoded] } })?.blocks).toContainEqual(
    expect.objectContaining({ kind: 'notice', text: expect.stringContaining('sex') }),
  )
  expect(section({ shift: { ...shift, inputs: [numeric('age', 0.2)] } })?.blocks).not.toContainEqual(
    expect.objectContaining({ kind: 'notice' }),
  )
})

it('states that a recalibration is optimistic and needs local data', () => {
  const original = { brier: 0.2, calibration_slope: 0.6 }
  const updates = [
    {
      name: 'intercept' as const,
      intercept: -0.4,
      slope: 1,
      metrics: { brier: 0.18, calibration_slope: 0.6 },
    },
  ]
  const [table] = tables(section({ recalibration: { reason: null, original, updates } }))
  expect(table?.caption).toContain('optimistic')
  expect(table?.notes?.join()).toContain('separate local cases')
  expect(table?.rows).toEqual([
    ['Original', '–', '–', '0.200', '0.600'],
    ['Intercept updated', '−0.400', '1', '0.180', '0.600'],
  ])
  const refused = section({ recalibration: { reason: 'fewer than 20 patients', original, updates: [] } })
  expect(refused?.blocks).toEqual([
    { kind: 'paragraph', text: expect.stringContaining('fewer than 20 patients') },
  ])
})
