import type { StudyStatus } from '@medloom/contracts/plain'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Status, type Tone } from './status'

const TONES = {
  running: 'running',
  completed: 'good',
  failed: 'bad',
  stopped: 'neutral',
} as const satisfies Record<StudyStatus, Tone>

/** Status of a study. */
export function StudyStatusBadge({ status }: { readonly status: StudyStatus }) {
  const t = useText(parts)
  return <Status tone={TONES[status]}>{t(`job.${status}`)}</Status>
}
