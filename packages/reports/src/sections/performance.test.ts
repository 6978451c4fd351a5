import { readFileSync } from 'node:fs'
import { EvaluationResult } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { cellText, type Table } from '../document/document.js'
import { performanceSection } from './performance.js'

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
    'predicted benign',
    'predicted malignant',
    'All',
  ])
  expect(matrix?.rows.map((row) => row.map(cellText))).toEqual([
    ['benign', '60 (75.0 %)', '20 (25.0 %)', '80'],
    ['malignant', '6 (15.0 %)', '34 (85.0 %)', '40'],
  ])
})
