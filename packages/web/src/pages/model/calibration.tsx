import { Plot, PlotBars, PlotDots, PlotLine, PlotRule } from '../../charts/plot'
import { Button } from '../../components/button'
import { type Formatters, useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { MissingChart } from './curves'
import {
  type EvaluationViewProps,
  type Result,
  resultsAtThreshold,
  showCases,
  shownClass,
} from './view-props'

type Bins = NonNullable<Result['calibration']>['bins']
const UNIT = [0, 1] as const

/** Calibration of the positive class (two classes), the predicted class (more classes) or the selected label. A bin links to its cases. */
export function CalibrationPlot(props: EvaluationViewProps) {
  const t = useText(text)
  const { result } = props.document
  const chosen = shownClass(props)
  const ofLabel =
    result.task === 'multilabel' ? result.per_class?.find(({ name }) => name === chosen) : undefined
  const bins = (ofLabel ? ofLabel.calibration : result.calibration)?.bins
  const results = resultsAtThreshold(props)
  if (!bins || bins.length === 0) return <MissingChart title={t('calibration.title')} />
  const show = ({ least, most }: Bins[number]) =>
    showCases(props, { from: least, to: most, ...(ofLabel ? { class: ofLabel.name } : {}) })
  return (
    <CalibrationChart
      title={ofLabel ? `${t('calibration.title')} · ${ofLabel.name}` : t('calibration.title')}
      axis={
        result.positive_class === null && !ofLabel ? t('calibration.confidence') : t('calibration.predicted')
      }
      bins={bins}
      threshold={results?.threshold}
      onShow={show}
    />
  )
}

export function CalibrationChart({
  title,
  axis,
  bins,
  threshold,
  onShow,
}: {
  readonly title: string
  readonly axis: string
  readonly bins: Bins
  readonly threshold?: number | undefined
  readonly onShow?: (bin: Bins[number]) => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const linked = onShow !== undefined && bins.every(({ least }) => least !== undefined)
  const press = (index: number) => {
    const bin = bins[index]
    if (bin) onShow?.(bin)
  }
  return (
    <Plot
      title={title}
      x={{ label: axis, domain: UNIT }}
      y={{ label: t('calibration.observed'), domain: UNIT }}
      table={{
        head: [axis, t('calibration.observed'), t('metrics.interval'), t('threshold.cases')],
        rows: bins.map((bin, index) => ({
          key: String(index),
          cells: cellsOf(format, bin, linked ? () => press(index) : undefined),
        })),
      }}
    >
      {(scales) => (
        <>
          <PlotLine
            series={0}
            scales={scales}
            points={[
              [0, 0],
              [1, 1],
            ]}
          />
          {threshold !== undefined && <PlotRule scales={scales} x={threshold} />}
          <PlotBars
            scales={scales}
            bars={bins.map(({ predicted, low, high }) => ({ x: predicted, low, high }))}
          />
          <PlotDots
            scales={scales}
            points={bins.map(({ predicted, observed }) => [predicted, observed])}
            onPress={linked ? press : undefined}
          />
        </>
      )}
    </Plot>
  )
}

function cellsOf(format: Formatters, bin: Bins[number], onShow: (() => void) | undefined) {
  const count = format.count(bin.count)
  return [
    format.metric(bin.predicted),
    format.metric(bin.observed),
    format.range(bin.low, bin.high),
    onShow ? (
      <Button key="show" kind="quiet" onPress={onShow}>
        {count}
      </Button>
    ) : (
      count
    ),
  ]
}
