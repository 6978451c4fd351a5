import type { NodeState, NodeStatus } from '@medloom/contracts'
import { useServiceText } from '../components/service-text'
import { Status, type Tone } from '../components/status'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import { useOutdated } from './state/context'

export const TONES = {
  pending: 'waiting',
  running: 'running',
  success: 'good',
  cached: 'good',
  error: 'bad',
  skipped: 'neutral',
} as const satisfies Record<NodeStatus, Tone>
export const OUTDATED_TONE: Tone = 'neutral'

/** Status of a node in a run. */
export function NodeStatusBadge({ status }: { readonly status: NodeStatus }) {
  const t = useText(text)
  return <Status tone={TONES[status]}>{t(`state.${status}`)}</Status>
}

/** Status of a node in the latest run, relative to the current document. */
export function LatestStatusBadge({ id, status }: { readonly id: string; readonly status: NodeStatus }) {
  const t = useText(text)
  const outdated = useOutdated(id) && hasResult(status)
  if (outdated) return <Status tone={OUTDATED_TONE}>{t('state.outdated')}</Status>
  return <NodeStatusBadge status={status} />
}

export const hasResult = (status: NodeStatus): boolean => TONES[status] === 'good'

/** One-line summary of a node: the reason why it failed or was skipped, otherwise its first result. */
export function useSummary(): (state: NodeState) => string | null {
  const textOf = useServiceText()
  return ({ error, outputs, reason, reason_phrases }) => {
    const [first] = Object.values(outputs)
    if (error) return textOf(error.message, error.message_phrases)
    if (first) return textOf(first.summary, first.summary_phrases)
    return reason && textOf(reason, reason_phrases)
  }
}
