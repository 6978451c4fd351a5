import type { CasesPage } from '@medloom/contracts'
import styles from './image-grid.module.css'
import { ImageTile } from './image-tile'
import type { Thumbnail } from './thumbnails'

/** One line of tiles in the grid. */
export function ImageLine({
  index,
  start,
  lanes,
  cases,
  image,
  thumbnails,
  current,
  onOpen,
}: {
  readonly index: number
  /** Offset from the top in pixels. */
  readonly start: number
  readonly lanes: number
  /** Cases of this line. */
  readonly cases: readonly CasesPage['cases'][number][]
  /** Index of the image column. */
  readonly image: number
  readonly thumbnails: ReadonlyMap<number, Thumbnail>
  /** Index of the tile that has the keyboard focus. */
  readonly current: number
  readonly onOpen: (index: number, row: number) => void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table with one image per cell adds no information
    // biome-ignore lint/a11y/useFocusableInteractive: the focus is on the cells
    <div
      role="row"
      aria-rowindex={index + 1}
      className={styles.line}
      style={{ transform: `translateY(${start}px)`, gridTemplateColumns: `repeat(${lanes}, 1fr)` }}
    >
      {cases.map((one, lane) => (
        <ImageTile
          key={one.row}
          one={one}
          index={index * lanes + lane}
          isCurrent={index * lanes + lane === current}
          hasImage={one.images[image] ?? false}
          thumbnail={thumbnails.get(one.row)}
          onOpen={onOpen}
        />
      ))}
    </div>
  )
}
