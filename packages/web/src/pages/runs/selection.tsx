import type { JobStatus } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, service } from '../../app/service'
import { Button, LinkButton } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { runs as text } from '../../text/runs'
import { useText } from '../../text/use-text'
import { MAX_JOBS } from '../compare/search'
import type { ListedRun } from './columns'
import type { RunsSearch } from './search'
import styles from './selection.module.css'

const ENDED: readonly JobStatus[] = ['completed', 'failed', 'stopped']
type Question = 'tag' | 'stop' | 'delete'

/** Actions on all selected trainings. */
export function Selection({
  search,
  runs,
  onChange,
}: {
  readonly search: RunsSearch
  readonly runs: readonly ListedRun[]
  readonly onChange: (changes: Partial<RunsSearch>) => void
}) {
  const t = useText(text)
  const [question, setQuestion] = useState<Question | null>(null)
  const ids = search.selected ?? []
  const chosen = runs.filter(({ job_id }) => ids.includes(job_id))
  const each = useForEachRun(chosen)
  if (ids.length === 0) return null
  const archive = chosen.length === 0 || chosen.some(({ archived }) => !archived)
  return (
    <div className={styles.bar}>
      <strong role="status">{t('selected.count', { count: ids.length })}</strong>
      <LinkButton icon="compare" to="/compare" search={{ jobs: ids.slice(0, MAX_JOBS) }}>
        {t('selected.compare')}
      </LinkButton>
      <Button icon="tag" onPress={() => setQuestion('tag')}>
        {t('selected.tag')}
      </Button>
      <Button
        icon="archive"
        onPress={() => each.mutate((run) => service.editJob({ job_id: run.job_id, archived: archive }))}
      >
        {t(archive ? 'selected.archive' : 'selected.restore')}
      </Button>
      {chosen.some(({ status }) => !ENDED.includes(status)) && (
        <Button icon="stopped" onPress={() => setQuestion('stop')}>
          {t('selected.stop')}
        </Button>
      )}
      {chosen.every(({ status }) => ENDED.includes(status)) && (
        <Button kind="danger" icon="delete" onPress={() => setQuestion('delete')}>
          {t('selected.delete')}
        </Button>
      )}
      <Button kind="quiet" icon="close" onPress={() => onChange({ selected: undefined })}>
        {t('selected.clear')}
      </Button>
      {each.data && each.data.errors.length > 0 && (
        <div className={styles.errors}>
          <p>{t('bulk.failed', { failed: each.data.errors.length, count: each.data.count })}</p>
          <Problem error={each.data.errors[0]} />
        </div>
      )}
      <ActionDialogs
        question={question}
        count={chosen.length}
        onClose={() => setQuestion(null)}
        onAnswer={(work) => {
          setQuestion(null)
          each.mutate(work)
        }}
      />
    </div>
  )
}

type Work = (run: ListedRun) => Promise<unknown>

function ActionDialogs({
  question,
  count,
  onClose,
  onAnswer,
}: {
  readonly question: Question | null
  readonly count: number
  readonly onClose: () => void
  readonly onAnswer: (work: Work) => void
}) {
  const t = useText(text)
  const [tag, setTag] = useState('')
  if (question === 'tag') {
    const add: Work = ({ job_id, tags }) => service.editJob({ job_id, tags: [...tags, tag] })
    return (
      <Dialog
        title={t('tag.title')}
        isOpen
        onClose={onClose}
        action={
          <Button kind="primary" isDisabled={tag.trim() === ''} onPress={() => onAnswer(add)}>
            {t('selected.tag')}
          </Button>
        }
      >
        <TextField label={t('tag.label')} value={tag} onChange={setTag} autoFocus />
      </Dialog>
    )
  }
  if (question === null) return null
  const work: Work = ({ job_id }) =>
    question === 'stop' ? service.stopJob({ job_id }) : service.deleteJob({ job_id })
  return (
    <Dialog
      title={t(`${question}.title`, { count })}
      isOpen
      onClose={onClose}
      action={
        <Button kind={question === 'delete' ? 'danger' : 'primary'} onPress={() => onAnswer(work)}>
          {t(`selected.${question}`)}
        </Button>
      }
    >
      <p>{t(`${question}.text`)}</p>
    </Dialog>
  )
}

/** Performs an action for each training; a failure does not stop the rest. */
function useForEachRun(runs: readonly ListedRun[]) {
  return useMutation({
    mutationFn: async (work: Work) => {
      const results = await Promise.allSettled(runs.map(work))
      const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      return { count: runs.length, errors }
    },
    onSettled: () => invalidate('listJobs', 'listJobTags', 'getJobStatus'),
  })
}
