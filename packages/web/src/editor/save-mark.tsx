import { Status, type Tone } from '../components/status'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import { useEditing } from './state/context'
import type { SaveState } from './state/editing'

const TONES = {
  saved: 'good',
  changed: 'waiting',
  draft: 'neutral',
  stale: 'bad',
  failed: 'bad',
} as const satisfies Record<SaveState, Tone>

/** Save state of the document. */
export function SaveMark() {
  const t = useText(text)
  const { save } = useEditing()
  return <Status tone={TONES[save]}>{t(`save.${save}`)}</Status>
}
