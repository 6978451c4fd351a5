import { useState } from 'react'
import { Plot, PlotLine, type Point } from '../../charts/plot'
import { Select } from '../../components/select'
import { editor as text } from '../../text/editor'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { useText } from '../../text/use-text'

const UNIT = [0, 1] as const
const DIAGONAL: readonly Point[] = [
  [0, 0],
  [1, 1],
]
/** More lines than these cannot be distinguished. */
const MAX_LINES = 7

interface Epoch {
  readonly epoch: number
  readonly metrics: Readonly<Record<string, number | null>>
}

/** One metric of a training over its epochs. */
export function EpochCurve({ epochs }: { readonly epochs: readonly Epoch[] }) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const [chosen, setChosen] = useState('')
  const names = [...new Set(epochs.flatMap(({ metrics }) => Object.keys(metrics)))]
  const name = names.find((known) => known === chosen) ?? names[0]
  if (name === undefined) return null
  const points = epochs.flatMap(({ epoch, metrics }): Point[] => {
    const value = metrics[name]
    return typeof value === 'number' ? [[epoch, value]] : []
  })
  return (
    <>
      <Select
        label={t('value.metric')}
        choices={names.map((value) => ({ value, label: nameOf(value) }))}
        value={name}
        onChange={setChosen}
      />
      <Plot
        title={nameOf(name)}
        x={{ label: t('value.epoch'), domain: rangeOf(epochs.map(({ epoch }) => epoch)) }}
        y={{ label: nameOf(name), domain: rangeOf(points.map(([, y]) => y)) }}
        table={{
          head: [t('value.epoch'), nameOf(name)],
          rows: epochs.map(({ epoch, metrics }) => ({
            key: String(epoch),
            cells: [format.count(epoch), format.metric(metrics[name])],
          })),
        }}
      >
        {(scales) => <PlotLine points={points} scales={scales} series={1} />}
      </Plot>
    </>
  )
}

interface Roc {
  readonly name: string
  readonly curve: { readonly x: readonly number[]; readonly y: readonly number[] }
}

/** ROC curves of an evaluation, if its document contains any. */
export function RocCurves({ document }: { readonly document: Readonly<Record<string, unknown>> | null }) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const curves = ((document?.roc ?? []) as readonly Roc[]).slice(0, MAX_LINES)
  if (curves.length === 0) return null
  const axes = [t('value.roc.x'), nameOf('sensitivity')] as const
  return (
    <Plot
      title={t('value.roc')}
      x={{ label: axes[0], domain: UNIT }}
      y={{ label: axes[1], domain: UNIT }}
      legend={curves.map(({ name }) => name)}
      table={{
        head: [t('value.classes'), ...axes],
        rows: curves.flatMap(({ name, curve }) =>
          curve.x.map((x, index) => ({
            key: `${name} ${index}`,
            cells: [name, format.metric(x), format.metric(curve.y[index])],
          })),
        ),
      }}
    >
      {(scales) => (
        <>
          <PlotLine series={0} scales={scales} points={DIAGONAL} />
          {curves.map(({ name, curve }, index) => (
            <PlotLine
              key={name}
              series={index + 1}
              scales={scales}
              points={curve.x.map((x, point): Point => [x, curve.y[point] ?? Number.NaN])}
            />
          ))}
        </>
      )}
    </Plot>
  )
}

/** Range with a margin if the values are constant. */
function rangeOf(values: readonly number[]): readonly [number, number] {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
  if (low > high) return UNIT
  return low === high ? [low - 0.5, high + 0.5] : [low, high]
}
