import type { ImageInfo } from '@medloom/contracts'
import { type KeyboardEvent, type ReactNode, useMemo } from 'react'
import { Button } from '../components/button'
import { Problem } from '../components/problem'
import { images as text } from '../text/images'
import { useText } from '../text/use-text'
import { ImageCanvas } from './image-canvas'
import styles from './image-viewer.module.css'
import { type ImageSource, sliceOf, useImage, useImageInfo } from './use-image'
import type { ImageViewSettings } from './view-settings'
import { ViewerControls } from './viewer-controls'
import { windowAfterDrag } from './windows'

const STEP = 1.5

/**
 * Viewer for one image of a case: zoom, pan, window and slices, as people or as a model sees it. The parent component stores the view
 * settings. onStep: goes to the previous or next case. children: information about the case.
 */
export function ImageViewer({
  source,
  settings,
  onChange,
  onStep,
  children,
}: {
  readonly source: ImageSource
  readonly settings: ImageViewSettings
  readonly onChange: (changes: ImageViewSettings) => void
  readonly onStep?: ((by: -1 | 1) => void) | undefined
  readonly children?: ReactNode
}) {
  const t = useText(text)
  const stableSource = useMemo(
    () => ({ datasetId: source.datasetId, row: source.row, image: source.image }),
    [source.datasetId, source.row, source.image],
  )
  const info = useImageInfo(stableSource)
  const image = useImage(stableSource, settings, info.data)
  const error = info.error ?? image.error
  const keys = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).closest('input, [role="slider"], button[aria-haspopup]')) return
    if (event.key === 'ArrowLeft') onStep?.(-1)
    else if (event.key === 'ArrowRight') onStep?.(1)
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown')
      scroll(event.key === 'ArrowUp' ? 1 : -1, settings, info.data, onChange)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the elements inside
    <div className={styles.viewer} onKeyDown={keys}>
      <div className={styles.stage} aria-busy={image.isFetching}>
        {error ? (
          <div className={styles.problem}>
            <Problem error={error} />
          </div>
        ) : (
          <ImageCanvas
            label={t('image', { row: source.row + 1 })}
            bitmap={image.bitmap}
            subject={`${source.datasetId} ${source.row} ${source.image} ${settings.axis} ${settings.as}`}
            onWindow={
              info.data?.shown
                ? (dx, dy) => onChange(windowAfterDrag(settings, info.data, dx, dy))
                : undefined
            }
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
        {info.data && <ViewerControls info={info.data} settings={settings} onChange={onChange} />}
        {children}
        <p className={styles.hint}>{t('keys')}</p>
      </div>
    </div>
  )
}

function scroll(
  by: number,
  settings: ImageViewSettings,
  info: ImageInfo | undefined,
  onChange: (changes: ImageViewSettings) => void,
): void {
  const count = info?.slices[settings.axis ?? 'axial'] ?? 0
  if (!info || count < 2 || settings.as === 'model') return
  onChange({ slice: Math.min(Math.max(sliceOf(settings, info) + by, 0), count - 1) })
}
