import type { NodeState } from '@medloom/contracts'
import { editor as text } from '../text/editor'
import { useFormatters } from '../text/formatters'
import { useText } from '../text/use-text'
import { NodeStatusBadge } from './node-status'
import styles from './timeline.module.css'

interface Bar {
  readonly node: string
  readonly state: NodeState
  /** Seconds after the start of the first node: when this node was ready, and when it started. */
  readonly queued: number
  readonly begin: number
  readonly length: number
}

/** A shorter wait is overhead of the engine and not worth showing. */
const MIN_WAIT = 0.1

/** Waiting and running time of each node: where the time of a run was spent. */
export function Timeline({
  nodes,
  selected,
  onSelect,
}: {
  readonly nodes: Readonly<Record<string, NodeState>>
  readonly selected: string | undefined
  readonly onSelect: (node: string) => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const bars = barsOf(nodes)
  if (bars.length === 0) return <p>{t('run.none')}</p>
  const end = Math.max(0.001, ...bars.map(({ begin, length }) => begin + length))
  return (
    <ol className={styles.timeline}>
      {bars.map(({ node, state, queued, begin, length }) => (
        <li key={node}>
          <button
            type="button"
            className={styles.row}
            aria-pressed={node === selected}
            onClick={() => onSelect(node)}
          >
            <span className={styles.name}>{node}</span>
            <NodeStatusBadge status={state.status} />
            <span className={styles.track}>
              {begin - queued >= MIN_WAIT && (
                <span className={styles.wait} style={barStyle(queued, begin - queued, end)} />
              )}
              <span className={styles.bar} data-status={state.status} style={barStyle(begin, length, end)} />
            </span>
            <span className={styles.time}>
              {state.duration === null ? '' : format.duration(length)}
              <WaitReason state={state} />
              {begin - queued >= MIN_WAIT && (
                <span className={styles.waited}>
                  {t('run.waited', { time: format.duration(begin - queued) })}
                </span>
              )}
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}

/** Start and reason of the wait of a node. */
export function WaitReason({ state: { status, queued_at, waits_for } }: { readonly state: NodeState }) {
  const t = useText(text)
  const format = useFormatters()
  if (status !== 'pending' || waits_for === undefined || queued_at === undefined) return null
  const resource = t(`resource.${waits_for}`)
  return <span className={styles.waited}>{t('run.waits', { resource, time: format.moment(queued_at) })}</span>
}

/** Position on the track as a share of its length. */
function barStyle(from: number, length: number, end: number) {
  return { insetInlineStart: `${(from / end) * 100}%`, inlineSize: `${(length / end) * 100}%` }
}

/** Runs of older versions do not contain the queue time; the node then has no wait. */
function barsOf(nodes: Readonly<Record<string, NodeState>>): readonly Bar[] {
  const runs = Object.entries(nodes).map(([node, state]) => {
    const startedAt = state.started_at === null ? null : Date.parse(state.started_at)
    return {
      node,
      state,
      began: startedAt,
      readyAt: state.queued_at === undefined ? startedAt : Date.parse(state.queued_at),
    }
  })
  const first = runs.reduce(
    (least, { readyAt: could }) => Math.min(least, could ?? least),
    Number.POSITIVE_INFINITY,
  )
  const after = (moment: number | null) => (moment === null ? 0 : (moment - first) / 1000)
  return runs
    .map(({ node, state, began, readyAt: could }) => ({
      node,
      state,
      queued: after(began === null ? null : could),
      begin: after(began),
      length: state.duration ?? 0,
    }))
    .sort(
      (a, b) =>
        Number(a.state.started_at === null) - Number(b.state.started_at === null) || a.begin - b.begin,
    )
}
