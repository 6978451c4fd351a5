import { MedloomError } from '@medloom/client'
import type { ErrorIssue } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { invalidate, service } from '../../app/service'
import { Button } from '../../components/button'
import { CopyButton } from '../../components/copy-button'
import { PageHeader } from '../../components/panel'
import { Problem } from '../../components/problem'
import { type Draft, parseDraft } from '../../forms/draft'
import { study as text } from '../../text/study'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { Issues } from '../train/check-summary'
import columns from '../train/train-page.module.css'
import { useProblems } from '../train/use-problems'
import { YamlField } from '../train/yaml-field'
import { applyDatasetToDraft, setStudyDraft, useStudyDraft } from './draft'
import { EXAMPLE } from './example'
import { Plan } from './plan'
import styles from './study.module.css'
import { StudyForm } from './study-form'
import { usePlan } from './use-plan'

const NOTHING: readonly ErrorIssue[] = []

/** Setup of a study, as a form and as YAML at the same time; the service checks it meanwhile and returns its plan. */
export function NewStudyPage() {
  const t = useText(text)
  const yaml = useStudyDraft()
  const draft = useMemo(() => parseDraft(yaml), [yaml])
  const start = useStart(draft)
  const { plan, error, isAsked: isRequested, isChecking } = usePlan(draft, start.wasTried)
  const refusal = start.error ?? error
  const issues = refusal instanceof MedloomError ? refusal.issues : NOTHING
  const problems = useProblems(issues, start.wasTried)
  const write = (next: string) => {
    setStudyDraft(next)
    start.reset()
  }
  const isEmpty = yaml.trim() === ''
  return (
    <>
      <PageHeader title={t('new.title')} lead={t('new.lead')}>
        <ExampleOrReset isEmpty={isEmpty} onWrite={write} />
        <Button
          kind="primary"
          icon="running"
          isDisabled={isEmpty || draft.error !== null || start.isPending}
          onPress={start.begin}
        >
          {t('new.start')}
        </Button>
      </PageHeader>
      <div className={styles.page}>
        {refusal && (start.error || issues.length === 0) ? (
          <Problem error={refusal} />
        ) : (
          <Issues issues={problems.listed} />
        )}
        {isRequested ? (
          <Plan plan={plan} isChecking={isChecking} />
        ) : (
          draft.error === null && <p role="status">{t('new.missing')}</p>
        )}
      </div>
      <div className={columns.page}>
        <div className={columns.form}>
          <StudyForm
            draft={draft}
            onChange={(next) => write(next.text)}
            onTake={(dataset) => {
              applyDatasetToDraft(dataset)
              start.reset()
            }}
            problems={problems.atFields}
          />
        </div>
        <YamlPanel draft={draft} onChange={write} issues={problems.listed} />
      </div>
    </>
  )
}

function useStart(draft: Draft) {
  const navigate = useNavigate()
  const [wasTried, setTried] = useState(false)
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: () => service.startStudy(draft.value as never),
    onMutate: () => setTried(true),
    onSuccess: async ({ study_id }) => {
      await invalidate('listStudies')
      await navigate({ to: '/studies/$studyId', params: { studyId: study_id } })
    },
  })
  return { begin: () => mutate(), reset, error, isPending, wasTried }
}

/** Offers the example if nothing is written yet, and a reset otherwise. */
function ExampleOrReset({
  isEmpty,
  onWrite,
}: {
  readonly isEmpty: boolean
  readonly onWrite: (text: string) => void
}) {
  const t = useText(text)
  if (isEmpty)
    return (
      <Button icon="edit" onPress={() => onWrite(EXAMPLE)}>
        {t('new.example')}
      </Button>
    )
  return (
    <Button icon="delete" onPress={() => onWrite('')}>
      {t('new.empty')}
    </Button>
  )
}

/** The study as YAML text. The form does not update while the text is invalid. */
function YamlPanel({
  draft,
  onChange,
  issues,
}: {
  readonly draft: Draft
  readonly onChange: (text: string) => void
  readonly issues: readonly ErrorIssue[]
}) {
  const t = useText(text)
  const words = useText(train)
  const broken =
    draft.error &&
    words('yaml.broken', { line: String(draft.error.line ?? '?'), message: draft.error.message })
  return (
    <aside className={columns.yaml}>
      <YamlField
        label={t('new.yaml')}
        hint={words('yaml.hint')}
        value={draft.text}
        onChange={onChange}
        error={broken ?? undefined}
        issues={issues}
      />
      <div className={columns.copies}>
        <CopyButton text={draft.text}>{words('copy.yaml')}</CopyButton>
      </div>
    </aside>
  )
}
