import type { JobStatus } from '@medloom/contracts'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Status, type Tone } from './status'

const TONES = {
  started: 'waiting',
  running: 'running',
  completed: 'good',
  failed: 'bad',
  stopped: 'neutral',
} as const satisfies Record<JobStatus, Tone>

/** Status of a training. */
export function JobStatusBadge({ status }: { readonly status: JobStatus }) {
  const t = useText(parts)
  return <Status tone={TONES[status]}>{t(`job.${status}`)}</Status>
}
