import type { LeaksFound } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { service } from '../../app/service'
import { Button } from '../../components/button'
import { EmptyState } from '../../components/panel'
import { Problem } from '../../components/problem'
import { ScrollRegion } from '../../components/scroll-region'
import { TaskProgress, useTask } from '../../components/task-progress'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import styles from './leaks.module.css'
import { useThumbnails } from './thumbnails'
import type { DatasetViewProps } from './view-props'

type Pair = LeaksFound['pairs'][number]
const PAIR_PIXELS = 208

/** Pairs of cases that leak between splits, side by side. The address stores the search task. */
export function Leaks({ dataset, search, onChange }: DatasetViewProps) {
  const t = useText(text)
  const task = useTask(search.leaks)
  const start = useMutation({
    mutationFn: () => service.startTask('findLeaks', { dataset_id: dataset.dataset_id }),
    onSuccess: ({ task_id }) => onChange({ leaks: task_id }),
  })
  const running = start.isPending || task.data?.state === 'running'
  const found = task.data?.state === 'completed' ? (task.data.result as LeaksFound) : null
  return (
    <div className={styles.leaks} id="leaks">
      <p className={styles.lead}>{t('leaks.lead')}</p>
      {start.error && <Problem error={start.error} />}
      {/* A task that is no longer stored can be started again. */}
      {task.data && !task.isError && <TaskProgress label={t('leaks.title')} task={task.data} />}
      {!running && (
        <div>
          <Button icon="search" onPress={() => start.mutate()}>
            {t(found ? 'leaks.again' : 'leaks.start')}
          </Button>
        </div>
      )}
      {found && <Found found={found} id={dataset.dataset_id} onChange={onChange} />}
    </div>
  )
}

function Found({
  found,
  id,
  onChange,
}: {
  readonly found: LeaksFound
  readonly id: string
  readonly onChange: DatasetViewProps['onChange']
}) {
  const t = useText(text)
  const { pairs, totals, unreadable, compared } = found
  const all = totals.patient + totals.same + totals.alike
  return (
    <>
      {all === 0 ? <EmptyState title={t('leaks.none')} /> : <p role="status">{t('leaks.totals', totals)}</p>}
      {all > pairs.length && <p className={styles.lead}>{t('leaks.first', { count: pairs.length })}</p>}
      {unreadable > 0 && <p className={styles.lead}>{t('leaks.unreadable', { count: unreadable })}</p>}
      {!compared && <p className={styles.lead}>{t('leaks.tooMany')}</p>}
      {pairs.length > 0 && <Pairs pairs={pairs} id={id} onChange={onChange} />}
    </>
  )
}

function Pairs({
  pairs,
  id,
  onChange,
}: {
  readonly pairs: readonly Pair[]
  readonly id: string
  readonly onChange: DatasetViewProps['onChange']
}) {
  const t = useText(text)
  const frame = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: pairs.length,
    getScrollElement: () => frame.current,
    estimateSize: () => PAIR_PIXELS,
    overscan: 2,
  })
  return (
    <ScrollRegion ref={frame} className={styles.frame} label={t('leaks.title')}>
      <ol className={styles.all} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const pair = pairs[index] as Pair
          return (
            <li
              key={index}
              className={styles.pair}
              aria-setsize={pairs.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <p className={styles.kind}>{t(`leaks.kind.${pair.kind}`)}</p>
              <PairedCase one={pair.first} id={id} onChange={onChange} />
              <PairedCase one={pair.second} id={id} onChange={onChange} />
            </li>
          )
        })}
      </ol>
    </ScrollRegion>
  )
}

function PairedCase({
  one,
  id,
  onChange,
}: {
  readonly one: Pair['first']
  readonly id: string
  readonly onChange: DatasetViewProps['onChange']
}) {
  const t = useText(text)
  const shown = useThumbnails(id, [one], one.image, { from: 0, until: 1 }).get(one.row)
  const words = t('leaks.pair', {
    row: one.row + 1,
    split: one.split ?? t('split.none'),
    name: one.class ?? t('classes.none'),
  })
  return (
    <button type="button" className={styles.one} onClick={() => onChange({ row: one.row, image: one.image })}>
      <span className={styles.picture}>
        {shown?.picture ? <img src={shown.picture} alt="" /> : shown?.problem && t('images.unreadable')}
      </span>
      <bdi className={styles.caption}>{words}</bdi>
    </button>
  )
}
