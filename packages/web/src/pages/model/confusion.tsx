import { useEffect, useMemo, useRef } from 'react'
import { Button } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { PlainTable } from '../../components/plain-table'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import { type EvaluationViewProps, resultsAtThreshold, showCases } from './view-props'

/** A table of more classes is too wide to read. */
const MAX_CELLS = 12

/** Confusion matrix. A cell links to its cases. */
export function Confusion(props: EvaluationViewProps) {
  const { classes, positive_class, confusion_matrix } = props.document.result
  const results = resultsAtThreshold(props)
  const matrix = useMemo(() => {
    if (!results || !classes || positive_class === null) return confusion_matrix
    const { truePositive, falsePositive, falseNegative, trueNegative } = results.counts
    const rows = [
      [truePositive, falseNegative],
      [falsePositive, trueNegative],
    ]
    return classes.indexOf(positive_class) === 0 ? rows : rows.reverse().map((row) => [...row].reverse())
  }, [results, classes, positive_class, confusion_matrix])
  if (!matrix || !classes) return null
  const show = (truth: string, predicted: string) => showCases(props, { truth, predicted })
  return classes.length > MAX_CELLS ? (
    <ManyClasses classes={classes} matrix={matrix} onShow={show} />
  ) : (
    <ConfusionTable classes={classes} matrix={matrix} onShow={show} />
  )
}

interface MatrixProps {
  readonly classes: readonly string[]
  readonly matrix: readonly (readonly number[])[]
  readonly onShow: (truth: string, predicted: string) => void
}

function ConfusionTable({ classes, matrix, onShow }: MatrixProps) {
  const t = useText(text)
  const format = useFormatters()
  return (
    <PlainTable
      label={t('confusion.title')}
      head={[t('confusion.corner'), ...classes.map((name) => t('confusion.as', { name }))]}
      rows={classes.map((truth, row) => {
        const total = Math.max(1, matrix[row]?.reduce((sum, count) => sum + count, 0) ?? 1)
        return {
          key: truth,
          cells: [
            t('confusion.is', { name: truth }),
            ...classes.map((predicted, column) => {
              const count = matrix[row]?.[column] ?? 0
              return (
                <span key={predicted} className={styles.cell} data-right={row === column}>
                  <Button
                    kind="quiet"
                    aria-label={t('confusion.cell', { count, truth, predicted })}
                    onPress={() => onShow(truth, predicted)}
                  >
                    {format.count(count)}
                  </Button>
                  <progress className={styles.share} value={count} max={total} aria-hidden="true" />
                  <span className={styles.soft}>{format.percent(count / total)}</span>
                </span>
              )
            }),
          ],
        }
      })}
    />
  )
}

interface Pair {
  readonly truth: string
  readonly predicted: string
  readonly count: number
}

/** The whole matrix as a heat map, and the most frequent confusions as a list. */
function ManyClasses({ classes, matrix, onShow }: MatrixProps) {
  const t = useText(text)
  const format = useFormatters()
  const pairs = useMemo(() => confusedPairs(classes, matrix), [classes, matrix])
  const columns = useMemo((): Column<Pair>[] => {
    const open = ({ truth, predicted, count }: Pair) => (
      <Button
        kind="quiet"
        aria-label={t('confusion.cell', { count, truth, predicted })}
        onPress={() => onShow(truth, predicted)}
      >
        {format.count(count)}
      </Button>
    )
    return [
      { id: 'count', title: t('threshold.cases'), cell: open, width: 6 },
      { id: 'truth', title: t('confusion.truth'), cell: ({ truth }) => truth },
      { id: 'predicted', title: t('confusion.predicted'), cell: ({ predicted }) => predicted },
    ]
  }, [t, format, onShow])
  return (
    <div className={styles.many}>
      <HeatMap matrix={matrix} label={t('confusion.heat', { count: classes.length })} />
      <DataTable
        label={t('confusion.most')}
        columns={columns}
        rows={pairs}
        rowKey={({ truth, predicted }) => `${truth}\n${predicted}`}
        rowName={({ truth, predicted }) => `${truth}, ${predicted}`}
        total={pairs.length}
      />
    </div>
  )
}

/** Pairs of confused classes, the most frequent first. */
function confusedPairs(classes: readonly string[], matrix: MatrixProps['matrix']): Pair[] {
  const found: Pair[] = []
  for (const [row, counts] of matrix.entries())
    for (const [column, count] of counts.entries())
      if (count > 0 && row !== column)
        found.push({ truth: classes[row] ?? '', predicted: classes[column] ?? '', count })
  return found.sort((a, b) => b.count - a.count)
}

/** One pixel per cell: rows are true classes, columns predicted classes. */
function HeatMap({ matrix, label }: { readonly matrix: MatrixProps['matrix']; readonly label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = matrix.length
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context) return
    const image = context.createImageData(size, size)
    for (const [row, counts] of matrix.entries()) {
      const total = Math.max(
        1,
        counts.reduce((sum, count) => sum + count, 0),
      )
      for (const [column, count] of counts.entries()) {
        const offset = 4 * (row * size + column)
        const right = row === column
        image.data.set(
          [right ? 11 : 183, right ? 106 : 90, right ? 168 : 0, 255 * Math.sqrt(count / total)],
          offset,
        )
      }
    }
    context.putImageData(image, 0, 0)
  }, [matrix, size])
  return (
    <canvas ref={canvas} className={styles.heat} width={size} height={size} role="img" aria-label={label} />
  )
}
