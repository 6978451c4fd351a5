import type { NodeStatus } from '@medloom/contracts'
import { Status, type Tone } from '../components/status'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'

export const TONES = {
  pending: 'waiting',
  running: 'running',
  success: 'good',
  cached: 'good',
  error: 'bad',
  skipped: 'neutral',
} as const satisfies Record<NodeStatus, Tone>

/** The state of a node in a run. */
export function NodeStatusMark({ status }: { readonly status: NodeStatus }) {
  const t = useText(text)
  return <Status tone={TONES[status]}>{t(`state.${status}`)}</Status>
}
