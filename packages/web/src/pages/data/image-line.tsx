import type { CasesPage } from '@medloom/contracts'
import styles from './image-grid.module.css'
import { ImageTile } from './image-tile'
import type { Thumbnail } from './thumbnails'

/** One line of the grid: as many tiles as stand beside each other. */
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
  /** Pixels from the top. */
  readonly start: number
  readonly lanes: number
  /** Of this line. */
  readonly cases: readonly CasesPage['cases'][number][]
  /** Which of the image columns. */
  readonly image: number
  readonly thumbnails: ReadonlyMap<number, Thumbnail>
  /** The place of the tile that the keyboard is at. */
  readonly current: number
  readonly onOpen: (index: number, row: number) => void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table of one image per cell says nothing more
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
