import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { setStudyDraft } from '../study/draft'
import { useTrainingDraft } from './draft-store'
import { studyOf } from './study-document'

/** Creates a study draft from this configuration and opens it. */
export function StudyButton() {
  const t = useText(train)
  const { draft, name } = useTrainingDraft()
  const navigate = useNavigate()
  return (
    <Button
      icon="study"
      isDisabled={draft.error !== null}
      onPress={() => {
        setStudyDraft(studyOf(draft.text, name))
        void navigate({ to: '/studies/new' })
      }}
    >
      {t('study')}
    </Button>
  )
}
