import type { Inspection } from '@medloom/contracts'
import { Status, type Tone } from '../../components/status'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'

export type Readiness = Inspection['readiness']['status']
const TONES = { ready: 'good', warning: 'waiting', blocked: 'bad' } as const satisfies Record<Readiness, Tone>

/** Readiness of a dataset for training. */
export function ReadinessBadge({ status }: { readonly status: Readiness }) {
  const t = useText(text)
  return <Status tone={TONES[status]}>{t(`ready.${status}`)}</Status>
}
