import { readFileSync } from 'node:fs'
import { EvaluationResult } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { cellText, type Table } from '../document/document.js'
import { performanceSection, subgroupSection } from './performance.js'

const binary = EvaluationResult.parse(
  JSON.parse(readFileSync(new URL('../../testing/binary.json', import.meta.url), 'utf8')),
)

it('the confusion matrix has the cases of each cell, their share of the true class, and its size', () => {
  const confusion_matrix = [
    [60, 20],
    [6, 34],
  ]
  const { blocks } = performanceSection({ ...binary, confusion_matrix }, null)
  const tables = blocks.filter((block): block is Table => block.kind === 'table')
  const matrix = tables.find(({ caption }) => caption.startsWith('Confusion matrix'))
  expect(matrix?.columns.map(({ label }) => label)).toEqual([
    'True class',
    'Predicted: benign',
    'Predicted: malignant',
    'Total',
  ])
  expect(matrix?.rows.map((row) => row.map(cellText))).toEqual([
    ['benign', '60 (75.0%)', '20 (25.0%)', '80'],
    ['malignant', '6 (15.0%)', '34 (85.0%)', '40'],
  ])
})

it('subgroups withhold counts below 5, and the group from which one could be computed', () => {
  const { blocks } = subgroupSection(binary)
  const [found] = blocks.filter((block): block is Table => block.kind === 'table')
  const column = (label: string) => found?.columns.findIndex((one) => one.label === label) ?? -1
  const rows = new Map(found?.rows.map((row) => [cellText(row[0] ?? ''), row.map(cellText)]))
  const [events, cases, note] = [column('Events'), column('Cases'), column('Note')]
  expect(rows.get('site: A')?.[events]).toBe('21')
  // The 2 events of site C would be all events minus those of A and B.
  expect(rows.get('site: C')?.[events]).toBe('–')
  expect(rows.get('site: B')?.[events]).toBe('–')
  expect(rows.get('site: B')?.[note]).toBe('withheld')
  expect(rows.get('site: B')?.slice(events).join(' ')).not.toMatch(/\d/)
  expect(['A', 'B', 'C'].map((site) => rows.get(`site: ${site}`)?.[cases])).toEqual(['71', '41', '8'])
  expect(JSON.stringify(blocks)).toContain('A count from 1 to 4 may reveal the outcome of a patient')
})

it('the results of an ensemble name the predictions to which they belong', () => {
  const disagreement = { members: 5 } as EvaluationResult['disagreement']
  const text = (more: Partial<EvaluationResult>) =>
    JSON.stringify(performanceSection({ ...binary, ...more }, null).blocks[0])
  expect(text({})).not.toContain('members')
  expect(text({ disagreement })).toContain('the mean prediction of 5 members, not of single members')
  expect(text({ disagreement, out_of_fold: true })).toContain('the members that did not train on it')
})
