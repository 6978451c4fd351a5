import type { Dataset } from '@medloom/contracts'
import { storedText } from '../../app/stored-text'
import { changeDraft, parseDraft } from '../../forms/draft'
import { applyDataset } from '../train/apply-dataset'
import { BASE } from '../train/study-document'

const draft = storedText('medloom.study')

/** Text of the study draft. Another page may set it before it opens this page. */
export const useStudyDraft = draft.use
export const setStudyDraft = draft.set

/** Fills in the base configuration and keeps the user's text, because the record may arrive late. An unnamed study gets the dataset's name. */
export function applyDatasetToDraft(dataset: Dataset): void {
  const base = applyDataset(parseDraft(draft.get()), dataset, [BASE])
  const named = base.value.name === undefined ? changeDraft(base, ['name'], dataset.name) : base
  draft.set(named.text)
}
