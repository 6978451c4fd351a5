import type { Task } from '@medloom/contracts'
import { expect, test } from 'vitest'
import { differenceInterval, formatChange, formatDifference, metricName } from './metric-names.js'

test('a difference and the ends of its interval have as many decimals as each other', () => {
  expect(formatDifference('auc', 0.02712)).toBe('+0.027')
  expect(differenceInterval('auc', { low: -0.00671, high: 0.0384 })).toBe('−0.007 to +0.038')
  expect(differenceInterval('log_loss', { low: 0.00215, high: 0.2 })).toBe('+0.002 to +0.200')
  expect(differenceInterval('auc', { low: null, high: 0.2 })).toBe('–')
})

test('what rounds to nothing has no sign, and a change has none above zero', () => {
  expect(formatDifference('brier', -0.000278)).toBe('0.000')
  expect(formatDifference('brier', 0.0001)).toBe('0.000')
  expect(formatChange('auc', 0.382)).toBe('0.382')
})

test('in units of the label a difference keeps its size', () => {
  expect(formatDifference('mae', -0.000512)).toBe('−0.000512')
  expect(formatDifference('rmse', 1234.5)).toBe('+1234.5')
})

test('the Brier score of several labels is their mean, and that of several classes their sum', () => {
  const meaning = (task?: Task) => metricName('brier', task).meaning
  expect(meaning('classification')).toMatch(/summed over the classes .* 1 for two classes and 2 for more$/)
  expect(meaning('multilabel')).toMatch(/averaged over the labels; 0 is best, the maximum is 1$/)
  expect(meaning()).not.toMatch(/maximum/)
  expect(metricName('auc', 'multilabel').meaning).toBe(metricName('auc').meaning)
})

test('a name inside a sentence begins small, except abbreviations and names of people', () => {
  const labels = ['val_balanced_accuracy', 'val_auc', 'val_c_index', 'val_integrated_brier', 'macro_brier']
  expect(labels.map((key) => metricName(key).label)).toEqual([
    'Validation balanced accuracy',
    'Validation AUROC',
    "Validation Harrell's C",
    'Validation integrated Brier score',
    'Macro Brier score',
  ])
})
