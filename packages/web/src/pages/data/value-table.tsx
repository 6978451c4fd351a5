import type { Distribution } from '@medloom/contracts'
import { PlainTable } from '../../components/plain-table'
import { data as text } from '../../text/data'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import styles from './distribution.module.css'
import { useGroupName } from './group-name'
import type { Group } from './merge-groups'
import type { GROUPINGS } from './search'

/** Every value or bin with its cases per group; the bar is the share within the group. */
export function ValueTable({
  distribution,
  groups,
  by,
}: {
  readonly distribution: Distribution
  readonly groups: readonly Group[]
  readonly by: (typeof GROUPINGS)[number]
}) {
  const t = useText(text)
  const { short: number } = useFormatters()
  const nameOf = useGroupName(by)
  const { edges, values } = distribution
  const names =
    values ??
    (edges ?? [])
      .slice(0, -1)
      .map((from, bin) =>
        t('distribution.range', { from: number(from), to: number(edges?.[bin + 1] ?? from) }),
      )
  const rows = [
    ...names.map((name, index) => ({ name, count: (group: Group) => group.counts[index] ?? 0 })),
    { name: t('distribution.rest'), count: ({ rest }: Group) => rest },
    { name: t('distribution.missing'), count: ({ missing }: Group) => missing },
  ].filter(({ count }, index) => index < names.length || groups.some((group) => count(group) > 0))
  return (
    <PlainTable
      label={t('distribution.title', { column: distribution.name })}
      head={[t('distribution.value'), ...groups.map(({ name }) => nameOf(name))]}
      rows={rows.map(({ name, count }) => ({
        key: name,
        cells: [
          <bdi key="value" className={styles.value}>
            {name}
          </bdi>,
          ...groups.map((group) => <Share key={group.name} count={count(group)} all={group.cases} />),
        ],
      }))}
    />
  )
}

function Share({ count, all }: { readonly count: number; readonly all: number }) {
  const format = useFormatters()
  const share = all === 0 ? 0 : count / all
  return (
    <span className={styles.cell}>
      <span className={styles.track}>
        <span className={styles.share} style={{ inlineSize: `${100 * share}%` }} />
      </span>
      {format.count(count)} <span className={styles.soft}>({format.percent(share)})</span>
    </span>
  )
}
