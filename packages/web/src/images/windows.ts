import type { ImageInfo } from '@medloom/contracts'
import type { ImageViewSettings } from './view-settings'

export interface Window {
  readonly center: number
  readonly width: number
}

/** Windows for computed tomography in Hounsfield units, at the values that radiologists commonly use. */
export const CT_WINDOWS = {
  soft: { center: 40, width: 400 },
  lung: { center: -600, width: 1500 },
  bone: { center: 400, width: 1800 },
  brain: { center: 40, width: 80 },
} as const satisfies Record<string, Window>

/** Current window: the selected one, or the range of the file. */
export function windowOf({ center, width }: ImageViewSettings, { shown }: ImageInfo): Window | null {
  if (center !== undefined && width !== undefined) return { center, width }
  return shown && shown.high > shown.low
    ? { center: (shown.low + shown.high) / 2, width: shown.high - shown.low }
    : null
}

/** Window after a drag: right widens it, down raises the center, in steps relative to the range of the file. */
export function windowAfterDrag(
  settings: ImageViewSettings,
  info: ImageInfo,
  dx: number,
  dy: number,
): ImageViewSettings {
  const window = windowOf(settings, info)
  if (!window) return {}
  const step = rangeOf(info) / 400
  return { center: window.center + dy * step, width: Math.max(step, window.width + dx * step) }
}

/** Value range that a window can cover. */
export function rangeOf({ shown, windows }: ImageInfo): number {
  const widths = windows.map(({ width }) => width)
  return Math.max(shown ? shown.high - shown.low : 0, ...widths, 1)
}
