import { data as text } from '../../text/data'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import styles from './distribution.module.css'
import { useGroupName } from './group-name'
import type { Group } from './merge-groups'
import type { GROUPINGS } from './search'

const SHOWN = 12
const [WIDTH, HEIGHT] = [600, 60]

/** One histogram per group on a shared axis; the heights are shares within the group, so that small groups can be compared. */
export function Histograms({
  edges,
  groups,
  by,
}: {
  readonly edges: readonly number[]
  readonly groups: readonly Group[]
  readonly by: (typeof GROUPINGS)[number]
}) {
  const t = useText(text)
  const { short: number } = useFormatters()
  const nameOf = useGroupName(by)
  const shown = groups.slice(0, SHOWN)
  const range = { from: number(edges[0] ?? 0), to: number(edges.at(-1) ?? 0) }
  const largest = Math.max(...shown.flatMap(shares), Number.MIN_VALUE)
  return (
    <>
      <ul className={styles.histograms}>
        {shown.map((group) => (
          <li key={group.name} className={styles.histogram}>
            <div>
              <bdi className={styles.group}>{nameOf(group.name)}</bdi>
              <div className={styles.soft}>{t('distribution.group', group)}</div>
            </div>
            <svg
              viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
              preserveAspectRatio="none"
              className={styles.bars}
              aria-hidden="true"
            >
              {shares(group).map((share, bin) => (
                <rect
                  key={bin}
                  x={(bin * WIDTH) / group.counts.length + 1}
                  width={WIDTH / group.counts.length - 2}
                  y={HEIGHT - (share / largest) * HEIGHT}
                  height={(share / largest) * HEIGHT}
                />
              ))}
            </svg>
          </li>
        ))}
      </ul>
      <p className={styles.axis} aria-hidden="true">
        <span>{range.from}</span>
        <span>{range.to}</span>
      </p>
      <p className={styles.soft}>
        {t('distribution.axis', range)}
        {groups.length > SHOWN && ` ${t('distribution.more', { hidden: groups.length - SHOWN })}`}
      </p>
    </>
  )
}

function shares({ counts }: Group): number[] {
  const all = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => (all === 0 ? 0 : count / all))
}
