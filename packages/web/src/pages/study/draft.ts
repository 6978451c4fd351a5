import { keptText } from '../../app/kept-text'

const draft = keptText('medloom.study')

/** The text of the study that is being written. Another page may set it before it leads here. */
export const useStudyDraft = draft.use
export const setStudyDraft = draft.set
