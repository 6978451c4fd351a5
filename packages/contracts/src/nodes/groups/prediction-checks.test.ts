import { describe, expect, it } from 'vitest'
import type { ArrivingDescriptions, PlacedSetting, ValueDescription } from '../inference.js'
import { checkPrediction } from './prediction-checks.js'

const CASES: ValueDescription = { type: 'tabular', table: true, labels: false }
const MODEL: ValueDescription = { type: 'model', kind: 'trained' }
const issues = (model_id: string | null, inputs: ArrivingDescriptions) =>
  (
    checkPrediction({ node: 'predict', config: { model_id }, inputs, settings: {}, outside: {} }).issues ?? []
  ).map(({ code, severity, node, port, field }) => [code, severity, node ?? port ?? field])
const setting = (value: unknown, more: Partial<PlacedSetting> = {}): PlacedSetting => ({
  ...{ node: 'prepare', field: 'scaling', value, default: 'standard', fit_only: false },
  ...more,
})

describe('PredictCases', () => {
  it('has one model: a connected or a registered one', () => {
    expect(issues(null, { model: MODEL, cases: CASES })).toEqual([])
    expect(issues('latest', { cases: CASES })).toEqual([])
    expect(issues(null, { cases: CASES })).toEqual([['MISSING_INPUT', 'error', 'model']])
    expect(issues('latest', { model: MODEL, cases: CASES })).toEqual([['INVALID_VALUE', 'error', 'model_id']])
  })

  it('reads no labels, but everything else that the model reads', () => {
    const settings = { 'model.vision_backbone': setting('resnet18', { node: 'backbone' }) }
    const model = { ...MODEL, settings }
    expect(issues(null, { model, cases: { ...CASES, images: true } })).toEqual([])
    expect(issues(null, { model, cases: { ...CASES, images: false } })).toEqual([
      ['FACET_MISSING', 'error', 'cases'],
    ])
  })

  it('names preprocessing that a registered model does not apply', () => {
    const cases = (settings: Record<string, PlacedSetting>) => ({ cases: { ...CASES, settings } })
    expect(issues('latest', cases({ 'data.scaling': setting('minmax') }))).toEqual([
      ['NO_EFFECT', 'warning', 'prepare'],
    ])
    expect(issues('latest', cases({ 'data.scaling': setting('standard') }))).toEqual([])
    expect(issues('latest', cases({ 'data.augmentation': setting('x', { fit_only: true }) }))).toEqual([])
  })
})
