/** @module-tag documents */
import { readFileSync } from 'node:fs'
import { EvaluationResult, type FailureImages } from '@medloom/contracts'
import { expect, it } from 'vitest'
import { png } from '../../../testing/png.js'
import { failureSection } from '../failure-cases.js'
import { importanceSection } from './importance.js'

const binary = EvaluationResult.parse(
  JSON.parse(readFileSync(new URL('../../../testing/binary.json', import.meta.url), 'utf8')),
)
const importance: NonNullable<EvaluationResult['importance']> = {
  metric: 'auc',
  repeats: 10,
  seed: 42,
  num_cases: 100,
  inputs: [
    { name: 'age', kind: 'column', drop: 0.12, low: 0.05, high: 0.19 },
    { name: 'images', kind: 'images', drop: -0.01, low: -0.03, high: 0.01 },
  ],
  ablation: [{ without: 'images', drop: 0.02, low: -0.01, high: 0.05, mean_change: 0.07, changed: 0.125 }],
  predictions: 'ablation.csv',
  reason: null,
}
const textOf = (more: Partial<EvaluationResult>) =>
  JSON.stringify(importanceSection({ ...binary, ...more }, 'x-'))

it('is not there where nobody asked', () => expect(importanceSection(binary, '')).toBeNull())

it('draws a bar per input with its interval, and states the limits of the interpretation', () => {
  const text = textOf({ importance })
  expect(text).toContain('Decrease in AUROC when one input is permuted')
  expect(text).toContain('Measured on 100 of 120 cases')
  expect(text).toContain('not what causes the outcome')
  expect(text).toContain('If columns are correlated')
  const section = importanceSection({ ...binary, importance }, 'x-')
  const figures = section?.blocks.find((block) => block.kind === 'figures')
  const [figure] = figures?.kind === 'figures' ? figures.figures : []
  expect(figure?.chart.name).toBe('x-importance')
  for (const name of ['age', 'images']) expect(figure?.chart.standalone).toContain(name)
  expect(figure?.table?.rows).toEqual([
    ['age', '0.120', '0.050 to 0.190'],
    ['images', '−0.010', '−0.030 to 0.010'],
  ])
  expect(text).toContain('"Images","0.020","−0.010 to 0.050","0.070","12.5%"')
})

it('of a number it is the increase of the error, and no class changes', () => {
  const ablation = importance.ablation.map((one) => ({ ...one, changed: null }))
  const text = textOf({ importance: { ...importance, metric: 'mae', ablation }, classes: null })
  expect(text).toContain('Increase in MAE')
  expect(text).not.toContain('another predicted class')
})

it('says why there is none', () =>
  expect(
    textOf({ importance: { ...importance, metric: null, inputs: [], reason: 'fewer than 20 patients' } }),
  ).toContain('Not measured: fewer than 20 patients.'))

it('shows the saliency map next to the image, with the limits of the interpretation', () => {
  const image = png(3, 2)
  const images: FailureImages = {
    schema_version: 1,
    num_views: 1,
    saliency: true,
    cases: [[{ view: 1, png: image, saliency: image }], [{ view: 1, png: image }]],
  }
  const section = failureSection(binary, images)
  const shown = section.blocks.find((block) => block.kind === 'image_cases')
  expect(shown?.kind === 'image_cases' && shown.cases.map((one) => one.images.length)).toEqual([2, 1])
  expect(JSON.stringify(shown)).toContain('saliency map')
  expect(JSON.stringify(section)).toContain('does not explain a prediction')
  const none = { ...images, cases: [[{ view: 1, png: image }]] }
  expect(JSON.stringify(failureSection(binary, none))).toContain('None of these cases has a saliency map')
  expect(JSON.stringify(failureSection(binary, none))).not.toContain('The gray image next to a case')
  const { saliency: _, ...plain } = images
  expect(JSON.stringify(failureSection(binary, plain))).not.toContain('Grad-CAM')
})
