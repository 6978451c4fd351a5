import type { Document } from './core/document'
import { layout } from './core/layout'
import styles from './workflow-thumbnail.module.css'

const SIZE = { width: 60, height: 28 }
const MAX_DRAWN = 200

/** Thumbnail of a workflow: its nodes and connections. */
export function WorkflowThumbnail({
  document,
  label,
}: {
  readonly document: Document
  readonly label: string
}) {
  const shown = { ...document, nodes: document.nodes.slice(0, MAX_DRAWN) }
  const positions = layout(shown, () => SIZE)
  const corners = [...positions.values()]
  const width = Math.max(SIZE.width, ...corners.map(({ x }) => x + SIZE.width))
  const height = Math.max(SIZE.height, ...corners.map(({ y }) => y + SIZE.height))
  return (
    <svg
      className={styles.drawing}
      viewBox={`-4 -4 ${width + 8} ${height + 8}`}
      role="img"
      aria-label={label}
    >
      {shown.connections.map(({ id, source, target }) => {
        const from = positions.get(source)
        const to = positions.get(target)
        if (!from || !to) return null
        const [x1, y1] = [from.x + SIZE.width, from.y + SIZE.height / 2]
        const [x2, y2] = [to.x, to.y + SIZE.height / 2]
        const middle = (x1 + x2) / 2
        return (
          <path
            key={id}
            className={styles.wire}
            d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`}
          />
        )
      })}
      {corners.map(({ x, y }) => (
        <rect key={`${x} ${y}`} className={styles.node} x={x} y={y} {...SIZE} rx="6" />
      ))}
    </svg>
  )
}
