import type { Dataset } from '@medloom/contracts'
import { keptText } from '../../app/kept-text'
import { change, draftOf } from '../../forms/document'
import { BASE } from '../train/study-document'
import { withDataset } from '../train/with-dataset'

const draft = keptText('medloom.study')

/** The text of the study that is being written. Another page may set it before it leads here. */
export const useStudyDraft = draft.use
export const setStudyDraft = draft.set

/** Fills the base in, beside what is written by now: its record may come late. A study that has no name yet is called as the data are. */
export function takeDataset(dataset: Dataset): void {
  const base = withDataset(draftOf(draft.get()), dataset, [BASE])
  const named = base.value.name === undefined ? change(base, ['name'], dataset.name) : base
  draft.set(named.text)
}
