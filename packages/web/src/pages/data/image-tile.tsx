import type { CasesPage } from '@medloom/contracts'
import { memo } from 'react'
import { useServiceText } from '../../components/service-text'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import styles from './image-grid.module.css'
import type { Thumbnail } from './thumbnails'

/** Scrolling changes which tiles exist and not their content, so a remaining tile is not rendered again. */
export const ImageTile = memo(function ImageTile({
  one,
  index,
  isCurrent,
  hasImage,
  thumbnail,
  onOpen,
}: {
  readonly one: CasesPage['cases'][number]
  readonly index: number
  readonly isCurrent: boolean
  readonly hasImage: boolean
  readonly thumbnail: Thumbnail | undefined
  readonly onOpen: (index: number, row: number) => void
}) {
  const t = useText(text)
  const service = useServiceText()
  const problem = thumbnail?.problem
  const name = one.class ?? t('classes.none')
  return (
    // biome-ignore lint/a11y/useSemanticElements: a cell of the grid
    // biome-ignore lint/a11y/useFocusableInteractive: the button in it takes the focus
    <div role="gridcell" className={styles.cell}>
      <button
        type="button"
        data-index={index}
        tabIndex={isCurrent ? 0 : -1}
        className={styles.tile}
        aria-label={t('images.item', { row: one.row + 1, name })}
        onClick={() => onOpen(index, one.row)}
      >
        <span className={styles.picture}>
          {thumbnail?.picture ? (
            <img src={thumbnail.picture} alt="" draggable={false} decoding="async" />
          ) : (
            <span
              className={styles.none}
              title={problem ? service(problem.english, problem.phrases) : undefined}
            >
              {!hasImage ? t('images.absent') : problem ? t('images.unreadable') : ''}
            </span>
          )}
        </span>
        <bdi className={styles.caption}>{name}</bdi>
      </button>
    </div>
  )
})
