import type { Document } from '../core/document'

/** Below this zoom, text is unreadable and the nodes are too many to be DOM elements. */
export const OVERVIEW_ZOOM = 0.3
/** Below this zoom, text is too small to be read at a glance. */
export const COARSE_ZOOM = 0.6
/** Number of cards that can appear and disappear in one frame while panning; more are painted as an overview while they are small. */
const MAX_CARDS = 40
/** More cards than fit into a tile without overlap, as in generated workflows without positions. */
const OVERLAPPING = 300
/** Approximate size of the visible area where the limits matter, in canvas pixels. */
const TILE = 2_000

/** Number of nodes in the fullest tile of the canvas: an upper bound for every view, wherever distant nodes are. */
export function fullestTile({ nodes }: Pick<Document, 'nodes'>): number {
  const counts = new Map<string, number>()
  let most = 0
  for (const { position } of nodes) {
    const tile = `${Math.floor(position.x / TILE)} ${Math.floor(position.y / TILE)}`
    const count = (counts.get(tile) ?? 0) + 1
    counts.set(tile, count)
    if (count > most) most = count
  }
  return most
}

/** Reports whether nodes overlap. The overview is then used at every zoom: thousands of cards in one place block a browser. */
export const areOverlapping = (fullest: number): boolean => fullest > OVERLAPPING

/** Zoom below which the overview is used. It depends on the document and not on the view, so that panning does not switch between the two. */
export function overviewZoom(fullest: number, width: number, height: number): number {
  if (areOverlapping(fullest)) return Number.POSITIVE_INFINITY
  const seenAtFullSize = (fullest / TILE ** 2) * width * height
  return Math.min(COARSE_ZOOM, Math.max(OVERVIEW_ZOOM, Math.sqrt(seenAtFullSize / MAX_CARDS)))
}
