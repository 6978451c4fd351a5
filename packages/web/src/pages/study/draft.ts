import type { Dataset } from '@medloom/contracts'
import { storedText } from '../../app/stored-text'
import { change, draftOf } from '../../forms/document'
import { BASE } from '../train/study-document'
import { withDataset } from '../train/with-dataset'

const draft = storedText('medloom.study')

/** Text of the study draft. Another page may set it before it opens this page. */
export const useStudyDraft = draft.use
export const setStudyDraft = draft.set

/** Fills in the base configuration and keeps the user's text, because the record may arrive late. An unnamed study gets the dataset's name. */
export function takeDataset(dataset: Dataset): void {
  const base = withDataset(draftOf(draft.get()), dataset, [BASE])
  const named = base.value.name === undefined ? change(base, ['name'], dataset.name) : base
  draft.set(named.text)
}
