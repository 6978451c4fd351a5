import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { invalidate, routeQuery, service } from '../../app/service'
import { Button, FileLink } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { ServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { useFormatters } from '../../text/formatters'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import type { Study } from './live-study'
import { ReportDialog } from './report-dialog'
import styles from './study.module.css'

type Question = 'stop' | 'resume' | 'delete'

/** Actions available in the current state of a study. Each confirms its effects first. */
export function Actions({ study }: { readonly study: Study }) {
  const t = useText(text)
  const [question, setQuestion] = useState<Question | null>(null)
  const [reports, setReports] = useState(false)
  const running = study.status === 'running'
  return (
    <>
      {study.report_path !== null &&
        (['html', 'pdf'] as const).map((format) => (
          <FileLink
            key={format}
            href={`/api/studies/${study.study_id}/report/${format}`}
            icon={format === 'html' ? 'external' : 'download'}
          >
            {t(`action.report.${format}`)}
          </FileLink>
        ))}
      {study.report_path !== null && (
        <Button icon="file" aria-haspopup="dialog" onPress={() => setReports(true)}>
          {t('action.reports')}
        </Button>
      )}
      {running && (
        <Button icon="stopped" onPress={() => setQuestion('stop')}>
          {t('action.stop')}
        </Button>
      )}
      {(study.status === 'stopped' || study.status === 'failed') && (
        <Button kind="primary" icon="running" onPress={() => setQuestion('resume')}>
          {t('action.resume')}
        </Button>
      )}
      {!running && (
        <Button kind="danger" icon="delete" onPress={() => setQuestion('delete')}>
          {t('action.delete')}
        </Button>
      )}
      {reports && <ReportDialog studyId={study.study_id} onClose={() => setReports(false)} />}
      {question !== null && <Confirm study={study} question={question} onClose={() => setQuestion(null)} />}
    </>
  )
}

function Confirm({
  study: { study_id },
  question,
  onClose,
}: {
  readonly study: Study
  readonly question: Question
  readonly onClose: () => void
}) {
  const t = useText(text)
  const navigate = useNavigate()
  const act = useMutation({
    mutationFn: async () => {
      if (question === 'stop') await service.stopStudy({ study_id })
      else if (question === 'resume') await service.resumeStudy({ study_id })
      else await service.deleteStudy({ study_id })
    },
    onSuccess: async () => {
      onClose()
      if (question === 'delete') await navigate({ to: '/studies' })
      await invalidate('getStudy', 'getStudyResults', 'listStudies', 'listJobs', 'listModels')
    },
  })
  return (
    <Dialog
      title={t(`${question}.title`)}
      isOpen
      onClose={onClose}
      action={
        <Button
          kind={question === 'delete' ? 'danger' : 'primary'}
          isDisabled={act.isPending}
          onPress={() => act.mutate()}
        >
          {t(`action.${question}`)}
        </Button>
      }
    >
      <p>{t(`${question}.text`)}</p>
      {question === 'delete' && <DeletionPreview studyId={study_id} />}
      {act.isError && <Problem error={act.error} />}
    </Dialog>
  )
}

/** Data that a deletion would remove, as the service reports it. */
function DeletionPreview({ studyId }: { readonly studyId: string }) {
  const t = useText(text)
  const format = useFormatters()
  const preview = useQuery({
    ...routeQuery('deleteStudy', { study_id: studyId, dry_run: 'true' }),
    retry: false,
  })
  if (preview.isError) return <Problem error={preview.error} />
  if (!preview.data) return <Skeleton height={6} />
  const { lost, lost_phrases, files, size_bytes } = preview.data
  return (
    <>
      <ul className={styles.lost}>
        {lost.map((item, index) => (
          <li key={item}>
            <ServiceText english={item} phrases={lost_phrases?.slice(index, index + 1)} />
          </li>
        ))}
      </ul>
      <p className={styles.soft}>{t('delete.size', { files, size: format.bytes(size_bytes) })}</p>
    </>
  )
}
