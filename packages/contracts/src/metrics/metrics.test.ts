import { describe, expect, it } from 'vitest'
import { TASKS } from '../configuration/choices.js'
import {
  betterEpoch,
  COMPARED_METRICS,
  EPOCH_HEADLINE,
  EPOCH_SUMMARY,
  headlineMetrics,
  isOfTask,
  METRICS,
  type Metric,
  MONITORS,
  metricOf,
  monitorsOf,
  PRIMARY_METRIC,
  studyMetrics,
} from './index.js'

const rows: [string, Metric][] = Object.entries(METRICS)

describe('the catalogue of metrics', () => {
  it.each(rows)('%s can be monitored or compared only with a direction', (_, row) => {
    if (row.monitorable || row.compares_variants) expect(row.better).not.toBeNull()
    if (row.monitorable) expect(row.epoch).toBeDefined()
    if (row.in_label_units) expect(['positive', 'real']).toContain(row.scale)
  })

  it('gives each metric of an epoch one direction, and one row per task', () => {
    for (const { epoch, better } of rows.map(([, row]) => row))
      if (epoch) expect(betterEpoch(epoch)).toBe(better)
    for (const task of TASKS) {
      const epochs = rows.flatMap(([, { epoch, tasks }]) => (epoch && tasks.includes(task) ? [epoch] : []))
      expect(new Set(epochs).size).toBe(epochs.length)
    }
  })

  it.each(TASKS)('lists for %s only metrics of this task', (task) => {
    const listed = [PRIMARY_METRIC[task], ...headlineMetrics(task), ...COMPARED_METRICS[task]]
    for (const name of [...listed, ...EPOCH_HEADLINE[task], ...studyMetrics(task)])
      expect([name, isOfTask(task, name)]).toEqual([name, true])
    expect(studyMetrics(task)).toContain(PRIMARY_METRIC[task])
    expect(headlineMetrics(task)).toHaveLength(2)
  })

  it.each(TASKS)('sums up an epoch of %s by metrics that an epoch has', (task) => {
    const epochs = rows.flatMap(([, { epoch, tasks }]) => (epoch && tasks.includes(task) ? [epoch] : []))
    expect(epochs).toEqual(expect.arrayContaining([...EPOCH_HEADLINE[task]]))
    expect(EPOCH_SUMMARY).toEqual(expect.arrayContaining([...EPOCH_HEADLINE[task]]))
    expect(EPOCH_SUMMARY.at(-1)).toBe('val_loss')
  })

  it('finds the metric of one class, and leaves unknown names alone', () => {
    expect(metricOf('auc[melanoma]')).toBe(METRICS.auc)
    expect(metricOf('toString')).toBeUndefined()
    expect(isOfTask('regression', 'auc')).toBe(false)
    expect(isOfTask('regression', 'train_accuracy')).toBe(false)
    expect(isOfTask('survival', 'unheard_of')).toBe(true)
  })

  it('needs only a row for an error that becomes monitorable, which is then minimized', () => {
    const pinball: Metric = {
      label: { en: 'Pinball loss', zh: '分位数损失' },
      meaning: 'mean quantile loss',
      source: 'Koenker and Bassett 1978',
      tasks: ['regression'],
      better: 'lower',
      scale: 'positive',
      epoch: 'val_pinball',
      monitorable: true,
    }
    expect(monitorsOf({ ...METRICS, pinball })).toEqual([...MONITORS.slice(1), 'val_pinball'])
    expect(betterEpoch('val_pinball', { ...METRICS, pinball })).toBe('lower')
    expect(() => betterEpoch('val_pinball')).toThrow('val_pinball')
  })
})
