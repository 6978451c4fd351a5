import type { CasesPage } from '@medloom/contracts'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { ErrorNotice } from '../../components/boundary'
import { EmptyState } from '../../components/panel'
import { Select } from '../../components/select'
import { Skeleton } from '../../components/skeleton'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { CaseFilters } from './case-filters'
import { captionColumns, useCases } from './case-list'
import { NoMatchingCases } from './cases'
import { imageColumnsOf } from './image-columns'
import styles from './image-grid.module.css'
import { ImageLine } from './image-line'
import { useThumbnails } from './thumbnails'
import type { DatasetViewProps } from './view-props'

type Case = CasesPage['cases'][number]

const [TILE_WIDTH, TILE_HEIGHT] = [152, 178]

/** Images of the selected cases; only the visible ones are loaded and in the document. */
export function ImageGrid(props: DatasetViewProps) {
  const t = useText(text)
  const { dataset, search, onChange } = props
  const names = imageColumnsOf(dataset)
  const list = useCases(dataset, search, { columns: captionColumns(dataset) })
  const { first } = list
  if (names.length === 0) return <EmptyState title={t('images.none')} />
  return (
    <div className={styles.page}>
      <CaseFilters {...props} error={list.error}>
        {names.length > 1 && (
          <Select
            label={t('images.column')}
            choices={names.map((name, current) => ({ value: String(current), label: name }))}
            value={String(search.image ?? 0)}
            onChange={(index) => onChange({ image: Number(index) })}
          />
        )}
      </CaseFilters>
      {first && (
        <p role="status" className={styles.count}>
          {t('cases.count', { total: first.total, all: first.num_cases })}
        </p>
      )}
      {list.isPending && <Skeleton height={24} />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {first && first.total === 0 && <NoMatchingCases onChange={onChange} />}
      {first && first.total > 0 && !list.isError && (
        <Grid {...props} cases={list.items} total={first.total} onMore={list.more} />
      )}
    </div>
  )
}

interface GridProps extends DatasetViewProps {
  readonly cases: readonly Case[]
  readonly total: number
  readonly onMore: () => void
}

function Grid({ dataset, search, onChange, cases, total, onMore }: GridProps) {
  const t = useText(text)
  const frame = useRef<HTMLDivElement>(null)
  const lanes = useLanes(frame)
  const virtual = useVirtualizer({
    count: Math.ceil(total / lanes),
    getScrollElement: () => frame.current,
    estimateSize: () => TILE_HEIGHT,
    overscan: 2,
  })
  const lines = virtual.getVirtualItems()
  const [from, until] = [(lines[0]?.index ?? 0) * lanes, ((lines.at(-1)?.index ?? -1) + 1) * lanes]
  useEffect(() => {
    if (until > cases.length && cases.length < total) onMore()
  }, [until, cases.length, total, onMore])
  const image = search.image ?? 0
  const thumbnails = useThumbnails(dataset.dataset_id, cases, image, { from, until })
  const [current, setCurrent] = useState(0)
  // The function stays the same while the grid is shown, so that tiles are not rendered again.
  const open = useCallback(
    (index: number, row: number) => {
      setCurrent(index)
      onChange({ row })
    },
    [onChange],
  )
  const focusTile = (index: number) => {
    const next = Math.min(Math.max(index, 0), cases.length - 1)
    setCurrent(next)
    virtual.scrollToIndex(Math.floor(next / lanes))
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus())
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table with one image per cell adds no information
    <div
      ref={frame}
      role="grid"
      tabIndex={-1}
      aria-label={t('images.label')}
      aria-rowcount={Math.ceil(total / lanes)}
      aria-colcount={lanes}
      className={styles.frame}
      onKeyDown={(event) => {
        const next = targetIndex(event, current, lanes, total)
        if (next === undefined) return
        event.preventDefault()
        focusTile(next)
      }}
    >
      <div role="presentation" className={styles.all} style={{ height: virtual.getTotalSize() }}>
        {lines.map(({ index, start }) => (
          <ImageLine
            key={index}
            {...{ index, start, lanes, image, thumbnails, current }}
            cases={cases.slice(index * lanes, (index + 1) * lanes)}
            onOpen={open}
          />
        ))}
      </div>
    </div>
  )
}

function targetIndex(
  event: KeyboardEvent,
  current: number,
  lanes: number,
  total: number,
): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -lanes,
    ArrowDown: lanes,
    PageUp: -4 * lanes,
    PageDown: 4 * lanes,
  }
  if (event.key === 'Home') return 0
  if (event.key === 'End') return total - 1
  const step = steps[event.key]
  return step === undefined ? undefined : current + step
}

/** Number of tiles per line. */
function useLanes(frame: RefObject<HTMLElement | null>): number {
  const [lanes, setLanes] = useState(6)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => setLanes(Math.max(1, Math.floor(element.clientWidth / TILE_WIDTH)))
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    // Measured before the first render and the first request.
    measure()
    return () => observer.disconnect()
  }, [frame])
  return lanes
}
