import type { Document } from '../core/document'

/** Below this, words are too small to be read and the nodes are too many to be elements. */
export const AFAR = 0.3
/** Below this, words are too small to be read at a glance. */
export const COARSE = 0.6
/** So many cards can come and go in one frame while the drawing is moved; more are drawn on one canvas as long as they are small. */
const MOST_CARDS = 40
/** So many cards do not fit into a tile beside each other: they lie on each other, as where a program gave them no places. */
const PILED = 300
/** About what is seen at once where this matters, in pixels of the drawing. */
const TILE = 2_000

/** How many nodes stand in the fullest part of the drawing: all that a view can meet, however far away single ones are. */
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

/** Whether cards lie on each other, so that one canvas draws at every zoom: thousands of them in one place stop a browser. */
export const arePiled = (fullest: number): boolean => fullest > PILED

/** The zoom below which one canvas draws: of a drawing, not of where it is looked at, so that moving it changes nothing. */
export function afarZoom(fullest: number, width: number, height: number): number {
  if (arePiled(fullest)) return Number.POSITIVE_INFINITY
  const seenAtFullSize = (fullest / TILE ** 2) * width * height
  return Math.min(COARSE, Math.max(AFAR, Math.sqrt(seenAtFullSize / MOST_CARDS)))
}
