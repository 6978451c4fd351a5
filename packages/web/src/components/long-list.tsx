import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'
import styles from './long-list.module.css'
import { ScrollRegion } from './scroll-region'

/** Above this number, only the visible rows are in the document. */
const MANY = 200
const ROW_PIXELS = 80
const OVERSCAN = 5

interface LongListProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** CSS class of a row. */
  readonly className: string | undefined
  readonly children: (item: Item) => ReactNode
}

/** A list of any length. A very long list scrolls in its own region. */
export function LongList<Item>(props: LongListProps<Item>) {
  const { items, keyOf, className, children } = props
  if (items.length > MANY) return <Windowed {...props} />
  return (
    <ul>
      {items.map((item) => (
        <li key={keyOf(item)} className={className}>
          {children(item)}
        </li>
      ))}
    </ul>
  )
}

function Windowed<Item>({ label, items, keyOf, className, children }: LongListProps<Item>) {
  const frame = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    getItemKey: (index) => keyOf(items[index] as Item),
    estimateSize: () => ROW_PIXELS,
    overscan: OVERSCAN,
  })
  return (
    <ScrollRegion ref={frame} className={styles.frame} label={label}>
      <ul className={styles.all} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className={`${styles.row} ${className ?? ''}`}
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(items[index] as Item)}
          </li>
        ))}
      </ul>
    </ScrollRegion>
  )
}
