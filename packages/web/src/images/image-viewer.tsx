import type { ImageInfo } from '@medloom/contracts'
import { type KeyboardEvent, type ReactNode, useMemo } from 'react'
import { Button } from '../components/button'
import { Problem } from '../components/problem'
import { images as text } from '../text/images'
import { useText } from '../text/use-text'
import { ImageCanvas } from './image-canvas'
import styles from './image-viewer.module.css'
import type { ImageLook } from './look'
import { type ImagePlace, sliceOf, useImageInfo, usePicture } from './use-picture'
import { ViewerControls } from './viewer-controls'
import { dragged } from './windows'

const STEP = 1.5

/**
 * Viewer for one image of a case: zoom, pan, window and slices, as people or as a model sees it. The parent component stores the view
 * settings. onStep: goes to the previous or next case. children: information about the case.
 */
export function ImageViewer({
  place,
  look,
  onLook,
  onStep,
  children,
}: {
  readonly place: ImagePlace
  readonly look: ImageLook
  readonly onLook: (changes: ImageLook) => void
  readonly onStep?: ((by: -1 | 1) => void) | undefined
  readonly children?: ReactNode
}) {
  const t = useText(text)
  const kept = useMemo(
    () => ({ datasetId: place.datasetId, row: place.row, image: place.image }),
    [place.datasetId, place.row, place.image],
  )
  const info = useImageInfo(kept)
  const picture = usePicture(kept, look, info.data)
  const error = info.error ?? picture.error
  const keys = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).closest('input, [role="slider"], button[aria-haspopup]')) return
    if (event.key === 'ArrowLeft') onStep?.(-1)
    else if (event.key === 'ArrowRight') onStep?.(1)
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown')
      scroll(event.key === 'ArrowUp' ? 1 : -1, look, info.data, onLook)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the elements inside
    <div className={styles.viewer} onKeyDown={keys}>
      <div className={styles.stage} aria-busy={picture.isFetching}>
        {error ? (
          <div className={styles.problem}>
            <Problem error={error} />
          </div>
        ) : (
          <ImageCanvas
            label={t('image', { row: place.row + 1 })}
            bitmap={picture.bitmap}
            subject={`${place.datasetId} ${place.row} ${place.image} ${look.axis} ${look.as}`}
            onWindow={info.data?.shown ? (dx, dy) => onLook(dragged(look, info.data, dx, dy)) : undefined}
          >
            {({ zoom, fit }) => (
              <div className={styles.zoom}>
                <Button aria-label={t('zoom.in')} onPress={() => zoom(STEP)}>
                  +
                </Button>
                <Button aria-label={t('zoom.out')} onPress={() => zoom(1 / STEP)}>
                  −
                </Button>
                <Button onPress={fit}>{t('zoom.fit')}</Button>
              </div>
            )}
          </ImageCanvas>
        )}
      </div>
      <div className={styles.side}>
        {onStep && (
          <div className={styles.steps}>
            <Button icon="left" onPress={() => onStep(-1)}>
              {t('previous')}
            </Button>
            <Button icon="right" onPress={() => onStep(1)}>
              {t('next')}
            </Button>
          </div>
        )}
        {info.data && <ViewerControls info={info.data} look={look} onLook={onLook} />}
        {children}
        <p className={styles.hint}>{t('keys')}</p>
      </div>
    </div>
  )
}

function scroll(
  by: number,
  look: ImageLook,
  info: ImageInfo | undefined,
  onLook: (changes: ImageLook) => void,
): void {
  const count = info?.slices[look.axis ?? 'axial'] ?? 0
  if (!info || count < 2 || look.as === 'model') return
  onLook({ slice: Math.min(Math.max(sliceOf(look, info) + by, 0), count - 1) })
}
