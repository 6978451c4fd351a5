import { Plot, PlotBars, PlotDots, PlotLine, PlotRule } from '../../charts/plot'
import { Button } from '../../components/button'
import { type Figures, useFigures } from '../../text/figures'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { Gap } from './curves'
import { atThreshold, chooseCases, classOf, type Evidence, type Result } from './evidence'

type Bins = NonNullable<Result['calibration']>['bins']
const UNIT = [0, 1] as const

/** Calibration of the positive class (two classes), the predicted class (more classes) or the selected label. A bin links to its cases. */
export function CalibrationPlot(evidence: Evidence) {
  const t = useText(text)
  const { result } = evidence.document
  const chosen = classOf(evidence)
  const ofLabel =
    result.task === 'multilabel' ? result.per_class?.find(({ name }) => name === chosen) : undefined
  const bins = (ofLabel ? ofLabel.calibration : result.calibration)?.bins
  const at = atThreshold(evidence)
  if (!bins || bins.length === 0) return <Gap title={t('calibration.title')} />
  const show = ({ least, most }: Bins[number]) =>
    chooseCases(evidence, { from: least, to: most, ...(ofLabel ? { class: ofLabel.name } : {}) })
  return (
    <CalibrationChart
      title={ofLabel ? `${t('calibration.title')} · ${ofLabel.name}` : t('calibration.title')}
      axis={
        result.positive_class === null && !ofLabel ? t('calibration.confidence') : t('calibration.predicted')
      }
      bins={bins}
      threshold={at?.threshold}
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
  const figures = useFigures()
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
      behind={{
        head: [axis, t('calibration.observed'), t('metrics.interval'), t('threshold.cases')],
        rows: bins.map((bin, index) => ({
          key: String(index),
          cells: cellsOf(figures, bin, linked ? () => press(index) : undefined),
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

function cellsOf(figures: Figures, bin: Bins[number], onShow: (() => void) | undefined) {
  const count = figures.count(bin.count)
  return [
    figures.metric(bin.predicted),
    figures.metric(bin.observed),
    figures.range(bin.low, bin.high),
    onShow ? (
      <Button key="show" kind="quiet" onPress={onShow}>
        {count}
      </Button>
    ) : (
      count
    ),
  ]
}
