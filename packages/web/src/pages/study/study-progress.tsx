import { Link } from '@tanstack/react-router'
import { Icon } from '../../components/icon'
import { Progress } from '../../components/progress'
import { ErrorText, ServiceText } from '../../components/service-text'
import { useFormatters } from '../../text/formatters'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import type { Study } from './live-study'
import styles from './study.module.css'

const COUNTS = ['running', 'queued', 'pruned', 'failed'] as const

/** Progress of a study, and the reason if it did not complete. */
export function StudyProgress({ study }: { readonly study: Study }) {
  const t = useText(text)
  const { progress, phase, message, status } = study
  const counts = COUNTS.filter((name) => progress[name] > 0)
  return (
    <>
      <section className={styles.standing}>
        <div className={styles.words}>
          <span>
            {phase && `${t(`phase.${phase}`)} · `}
            {t('progress', { done: progress.completed, total: progress.total })}
          </span>
          {counts.length > 0 && (
            <span className={styles.soft}>
              {counts.map((name) => t(`progress.${name}`, { count: progress[name] })).join(' · ')}
            </span>
          )}
        </div>
        {status === 'running' && <Progress label={t('progress.label')} value={progress.fraction} />}
        {status !== 'failed' && status !== 'completed' && (
          <p className={styles.soft}>
            <ServiceText english={message} phrases={study.message_phrases} />
          </p>
        )}
      </section>
      {study.error && <FailureNotice study={study} error={study.error} />}
    </>
  )
}

function FailureNotice({
  study,
  error,
}: {
  readonly study: Study
  readonly error: NonNullable<Study['error']>
}) {
  const t = useText(text)
  const format = useFormatters()
  const failed = study.jobs.filter((job) => job.error !== null)
  return (
    <div role="alert" className={styles.failure}>
      <h2>
        <Icon name="bad" /> {t('failed.title')}
      </h2>
      <p>
        <ErrorText code={error.code} english={error.message} phrases={error.message_phrases} />
      </p>
      <p className={styles.code}>{error.code}</p>
      {failed.length > 0 && (
        <>
          <p>{t('failed.trainings')}</p>
          <ul className={styles.lost}>
            {failed.slice(0, 10).map((job) => (
              <li key={`${job.variant} ${job.seed} ${job.repeat} ${job.fold} ${job.trial}`}>
                {job.job_id === null ? (
                  job.variant
                ) : (
                  <Link to="/runs/$jobId" params={{ jobId: job.job_id }}>
                    {job.variant} · {format.count(job.seed)}
                  </Link>
                )}{' '}
                {job.error && (
                  <>
                    <ErrorText
                      code={job.error.code}
                      english={job.error.message}
                      phrases={job.error.message_phrases}
                    />{' '}
                    <span className={styles.code}>{job.error.code}</span>
                  </>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
