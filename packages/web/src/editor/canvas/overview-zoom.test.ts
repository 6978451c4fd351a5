import { expect, it } from 'vitest'
import { fullestTile, overviewZoom } from './overview-zoom'

/** A square grid of nodes with this distance between them. */
function square(side: number, apart: number) {
  const nodes = Array.from({ length: side ** 2 }, (_, index) => ({
    ...{ id: `${index}`, type: 'DataSplit', config: {} },
    position: { x: (index % side) * apart, y: Math.floor(index / side) * apart },
  }))
  return { nodes }
}

it('counts the nodes where they are closest to each other', () => {
  expect(fullestTile(square(10, 2_000))).toBe(1)
  expect(fullestTile(square(10, 500))).toBe(16)
  const { nodes } = square(10, 500)
  const far = { ...nodes[0], id: 'far', position: { x: 1e7, y: -1e7 } }
  expect(fullestTile({ nodes: [...nodes, far] as never })).toBe(16)
})

it('draws on one canvas below 0.3, and above it as long as very many small nodes would be in view', () => {
  const [wide, high] = [800, 800]
  expect(overviewZoom(10, wide, high)).toBe(0.3)
  const dense = overviewZoom(70, wide, high)
  expect(dense).toBeGreaterThan(0.4)
  // As many nodes as the canvas shows as cards fill the view.
  expect((70 / 2_000 ** 2) * (wide / dense) * (high / dense)).toBeCloseTo(40)
  expect(overviewZoom(200, wide, high)).toBe(0.6)
  // The nodes overlap, so all of them would be in view at once.
  expect(overviewZoom(1_000, wide, high)).toBe(Number.POSITIVE_INFINITY)
})
