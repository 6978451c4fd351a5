import { EPOCH_SUMMARY, METRICS, type Metric } from '@medloom/contracts'
import { thin } from '../../charts/axes.js'
import { learningCurve } from '../../charts/learning-curve.js'
import { type Figure, numeric, type Section, table } from '../../document/document.js'
import { metricName } from '../../document/metric-names.js'
import { formatNumber } from '../../document/numbers.js'
import type { EpochRecord, ReportInput } from '../../report-input.js'

const LISTED_EPOCHS = 25

/** Validation errors in units of the label. */
const ERRORS = Object.values<Metric>(METRICS).flatMap(({ epoch, in_label_units }) =>
  epoch && in_label_units ? [epoch] : [],
)

/** Losses, and the validation metrics that share a scale. */
export function learningSection({ job, history }: ReportInput): Section | null {
  const figures = learningFigures(history, job.best?.epoch ?? null)
  if (figures.length === 0) return null
  return { id: 'learning-curves', title: 'Learning curves', blocks: [{ kind: 'figures', figures }] }
}

/** Charts of the losses and of the validation metrics; empty if no epoch has such a value. */
export function learningFigures(history: readonly EpochRecord[], bestEpoch: number | null): Figure[] {
  const present = (keys: readonly string[]) =>
    keys.filter((key) => history.some(({ metrics }) => typeof metrics[key] === 'number'))
  const error = present(ERRORS)
  const panels = [
    {
      name: 'learning-curve-loss',
      title: 'Loss',
      yName: 'Loss per case',
      keys: present(['train_loss', 'val_loss']),
    },
    error.length > 0
      ? {
          name: 'learning-curve-metrics',
          title: 'Validation error',
          yName: 'In units of the label',
          keys: error,
        }
      : {
          name: 'learning-curve-metrics',
          title: 'Validation metrics',
          yName: 'Value',
          keys: present(EPOCH_SUMMARY.filter((name) => name !== 'val_loss')),
        },
  ].filter(({ keys }) => keys.length > 0)
  return panels.map(
    ({ keys, ...panel }): Figure => ({
      chart: learningCurve({ ...panel, keys, history, bestEpoch }),
      table: table(
        panel.title,
        [numeric('Epoch'), ...keys.map((key) => numeric(metricName(key).label))],
        thin(history, LISTED_EPOCHS).map(({ epoch, metrics }) => [
          String(epoch),
          ...keys.map((key) => formatNumber(metrics[key])),
        ]),
        history.length > LISTED_EPOCHS
          ? ['A selection of epochs; the folder metrics/ contains all of them.']
          : [],
      ),
    }),
  )
}
