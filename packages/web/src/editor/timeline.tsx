import type { NodeState } from '@medloom/contracts'
import { editor as text } from '../text/editor'
import { useFigures } from '../text/figures'
import { useText } from '../text/use-text'
import { NodeStatusMark } from './node-status'
import styles from './timeline.module.css'

interface Bar {
  readonly node: string
  readonly state: NodeState
  /** Seconds after the first node could begin, when this one could and when it did. */
  readonly queued: number
  readonly begin: number
  readonly length: number
}

/** Shorter waits are the work of the engine itself, and nothing to see. */
const LEAST_WAIT = 0.1

/** When each node waited for its turn and worked, and how long: where the time of a run went. */
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
  const figures = useFigures()
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
            <NodeStatusMark status={state.status} />
            <span className={styles.track}>
              {begin - queued >= LEAST_WAIT && (
                <span className={styles.wait} style={placed(queued, begin - queued, end)} />
              )}
              <span className={styles.bar} data-status={state.status} style={placed(begin, length, end)} />
            </span>
            <span className={styles.time}>
              {state.duration === null ? '' : figures.duration(length)}
              <Waiting state={state} />
              {begin - queued >= LEAST_WAIT && (
                <span className={styles.waited}>
                  {t('run.waited', { time: figures.duration(begin - queued) })}
                </span>
              )}
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}

/** Since when a node waits for its turn, and for what. */
export function Waiting({ state: { status, queued_at, waits_for } }: { readonly state: NodeState }) {
  const t = useText(text)
  const figures = useFigures()
  if (status !== 'pending' || waits_for === undefined || queued_at === undefined) return null
  const resource = t(`resource.${waits_for}`)
  return (
    <span className={styles.waited}>{t('run.waits', { resource, time: figures.moment(queued_at) })}</span>
  )
}

/** Where on the track, in shares of its length. */
function placed(from: number, length: number, end: number) {
  return { insetInlineStart: `${(from / end) * 100}%`, inlineSize: `${(length / end) * 100}%` }
}

/** Runs of older versions do not know when a node was queued: it then did not wait. */
function barsOf(nodes: Readonly<Record<string, NodeState>>): readonly Bar[] {
  const worked = Object.entries(nodes).map(([node, state]) => {
    const began = state.started_at === null ? null : Date.parse(state.started_at)
    return { node, state, began, could: state.queued_at === undefined ? began : Date.parse(state.queued_at) }
  })
  const first = worked.reduce((least, { could }) => Math.min(least, could ?? least), Number.POSITIVE_INFINITY)
  const after = (moment: number | null) => (moment === null ? 0 : (moment - first) / 1000)
  return worked
    .map(({ node, state, began, could }) => ({
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
