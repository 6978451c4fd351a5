import type { RunStatus } from '@medloom/contracts'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Status, type Tone } from './status'

const TONES = {
  pending: 'waiting',
  running: 'running',
  success: 'good',
  error: 'bad',
  cancelled: 'neutral',
} as const satisfies Record<RunStatus, Tone>

/** Status of a workflow run. */
export function RunStatusBadge({ status }: { readonly status: RunStatus }) {
  const t = useText(parts)
  return <Status tone={TONES[status]}>{t(`run.${status}`)}</Status>
}
