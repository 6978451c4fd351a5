import type { ImageInfo } from '@medloom/contracts'
import type { ImageLook } from './look'

export interface Window {
  readonly center: number
  readonly width: number
}

/** Of computed tomography, in Hounsfield units, as radiologists commonly set them. */
export const CT_WINDOWS = {
  soft: { center: 40, width: 400 },
  lung: { center: -600, width: 1500 },
  bone: { center: 400, width: 1800 },
  brain: { center: 40, width: 80 },
} as const satisfies Record<string, Window>

/** The window that is seen: the one that was chosen, or the range that the file shows. */
export function windowOf({ center, width }: ImageLook, { shown }: ImageInfo): Window | null {
  if (center !== undefined && width !== undefined) return { center, width }
  return shown && shown.high > shown.low
    ? { center: (shown.low + shown.high) / 2, width: shown.high - shown.low }
    : null
}

/** After the pointer was dragged: to the right wider, down darker, in steps that suit the range of the file. */
export function dragged(look: ImageLook, info: ImageInfo, dx: number, dy: number): ImageLook {
  const window = windowOf(look, info)
  if (!window) return {}
  const step = rangeOf(info) / 400
  return { center: window.center + dy * step, width: Math.max(step, window.width + dx * step) }
}

/** How far the values reach that a window may be about. */
export function rangeOf({ shown, windows }: ImageInfo): number {
  const widths = windows.map(({ width }) => width)
  return Math.max(shown ? shown.high - shown.low : 0, ...widths, 1)
}
