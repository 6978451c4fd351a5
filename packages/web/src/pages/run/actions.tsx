import { isTerminal } from '@medloom/contracts/plain'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { invalidate, service } from '../../app/service'
import { Button, LinkButton } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'
import { EditDialog } from './edit-dialog'
import type { Job } from './live-job'
import { stopText } from './stop-text'

type Question = 'stop' | 'finish' | 'resume' | 'labels'

/** Actions available in the current state of a training. Changes are confirmed first, with their effect on the checkpoint. */
export function Actions({ job }: { readonly job: Job }) {
  const t = useText(run)
  const [question, setQuestion] = useState<Question | null>(null)
  const running = !isTerminal(job.status)
  return (
    <>
      {running && (
        <Button icon="stopped" onPress={() => setQuestion('stop')}>
          {t('action.stop')}
        </Button>
      )}
      {job.status === 'running' && (
        <Button icon="good" onPress={() => setQuestion('finish')}>
          {t('action.finish')}
        </Button>
      )}
      {job.resumable && (
        <Button icon="running" onPress={() => setQuestion('resume')}>
          {t('action.resume')}
        </Button>
      )}
      <LinkButton icon="copy" to="/train" search={{ from: job.job_id }}>
        {t('action.again')}
      </LinkButton>
      <Button icon="edit" onPress={() => setQuestion('labels')}>
        {t('action.note')}
      </Button>
      {question === 'labels' && <EditDialog job={job} onClose={() => setQuestion(null)} />}
      {question !== null && question !== 'labels' && (
        <Confirm job={job} question={question} onClose={() => setQuestion(null)} />
      )}
    </>
  )
}

function Confirm({
  job,
  question,
  onClose,
}: {
  readonly job: Job
  readonly question: Exclude<Question, 'labels'>
  readonly onClose: () => void
}) {
  const t = useText(run)
  const { job_id } = job
  const navigate = useNavigate()
  const act = useMutation({
    mutationFn: () => {
      if (question === 'stop') return service.stopJob({ job_id })
      if (question === 'finish') return service.finishJob({ job_id })
      return service.resumeJob({ job_id })
    },
    onSuccess: async (response) => {
      await invalidate('getJobStatus', 'listJobs')
      onClose()
      if (response.job_id !== job_id)
        await navigate({ to: '/runs/$jobId', params: { jobId: response.job_id } })
    },
  })
  return (
    <Dialog
      title={t(`${question}.title`)}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isDisabled={act.isPending} onPress={() => act.mutate()}>
          {t(`action.${question}`)}
        </Button>
      }
    >
      <p>{t(question === 'stop' ? stopText(job) : `${question}.text`)}</p>
      {act.isError && <Problem error={act.error} />}
    </Dialog>
  )
}
