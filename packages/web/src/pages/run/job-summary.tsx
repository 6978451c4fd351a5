import { EPOCH_HEADLINE, isTerminal } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { routeQuery } from '../../app/service'
import { Icon } from '../../components/icon'
import { Progress } from '../../components/progress'
import { ErrorText, ServiceText } from '../../components/service-text'
import { useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'
import { curvesQuery } from './curves'
import styles from './job-summary.module.css'
import type { Job } from './live-job'

const LOSSES = ['val_loss', 'train_loss']

/** Status and current metrics of a training; metrics are those of the best epoch once there is one. */
export function JobSummary({ job }: { readonly job: Job }) {
  const t = useText(run)
  const format = useFormatters()
  const nameOf = useMetricNames()
  const metrics = job.best?.metrics ?? job.metrics
  const ofTask = EPOCH_HEADLINE[job.prepared?.task ?? 'classification']
  const shown = [...ofTask, ...LOSSES].filter((name) => metrics[name] != null || name in job.notes)
  const combined = useIsCombined(job)
  const started = job.started_at === null ? null : Date.parse(job.started_at)
  const until = job.ended_at === null ? Date.now() : Date.parse(job.ended_at)
  const verdict = job.baseline_verdict
  return (
    <section className={styles.facts}>
      {!isTerminal(job.status) && <CurrentPhase job={job} />}
      <dl className={styles.metrics}>
        {shown.map((name) => (
          <Fact key={name} name={nameOf(name)} large>
            {format.metric(metrics[name])}
            {metrics[name] == null && (
              <p className={styles.reason}>
                <ServiceText english={job.notes[name] ?? ''} />
              </p>
            )}
          </Fact>
        ))}
      </dl>
      {combined && <p className={styles.combined}>{t('fact.combined')}</p>}
      <dl className={styles.list}>
        {job.best && <Fact name={t('fact.best')}>{job.best.epoch}</Fact>}
        {job.started_at && <Fact name={t('fact.started')}>{format.moment(job.started_at)}</Fact>}
        {started !== null && (
          <Fact name={t('fact.duration')}>{format.duration((until - started) / 1000)}</Fact>
        )}
        {job.device && <Fact name={t('fact.device')}>{job.device}</Fact>}
        {job.ended_at && job.reason !== null && job.error === null && (
          <Fact name={t('fact.reason')}>
            <ServiceText english={job.reason} phrases={job.reason_phrases} />
          </Fact>
        )}
        {job.attempt > 1 && <Fact name={t('fact.attempt')}>{job.attempt}</Fact>}
        {verdict && (
          <Fact name={t('fact.verdict')}>
            <ServiceText english={verdict.text} phrases={verdict.text_phrases} />
          </Fact>
        )}
        {job.model_id && (
          <Fact name={t('fact.model')}>
            <Link to="/models/$id" params={{ id: job.model_id }}>
              {job.model_id}
            </Link>
          </Fact>
        )}
        {job.resumed_from && (
          <Fact name={t('fact.resumed')}>
            <Link to="/runs/$jobId" params={{ jobId: job.resumed_from }}>
              {job.resumed_from.slice(0, 8)}
            </Link>
          </Fact>
        )}
      </dl>
    </section>
  )
}

/**
 * Reports whether the metrics belong to the fitted ensemble of all networks: a late fusion or a table ensemble is measured once after the
 * last epoch, so its metrics are not on any of the curves.
 */
function useIsCombined({ job_id, best, status }: Job): boolean {
  const ended = isTerminal(status) && best !== null
  const curves = useQuery({ ...routeQuery('getJobMetrics', curvesQuery(job_id)), enabled: ended })
  const drawn = curves.data?.epochs.find(({ epoch }) => epoch === best?.epoch)
  if (!ended || !drawn) return false
  return Object.entries(best.metrics).some(
    ([name, value]) => name.startsWith('val_') && (drawn.metrics[name] ?? value) !== value,
  )
}

/** Current phase and progress of a running or queued training. */
function CurrentPhase({ job }: { readonly job: Job }) {
  const t = useText(run)
  const format = useFormatters()
  const label =
    job.queue_position === null
      ? t('progress', { epoch: job.epoch, total: job.total_epochs })
      : t('queue', { position: job.queue_position })
  return (
    <div className={styles.under}>
      <div className={styles.words}>
        <span>
          {job.phase && t(`phase.${job.phase}`)} · {label}
        </span>
        {job.phase === 'queued' && job.reason !== null && (
          <span>
            <ServiceText english={job.reason} phrases={job.reason_phrases} />
          </span>
        )}
        {job.eta_seconds !== null && (
          <span>
            {t('fact.left')}: {format.duration(job.eta_seconds)}
          </span>
        )}
      </div>
      <Progress
        label={t('progress.label')}
        value={job.status === 'running' && job.total_epochs > 0 ? job.epoch / job.total_epochs : null}
      />
    </div>
  )
}

function Fact({
  name,
  large = false,
  children,
}: {
  readonly name: string
  readonly large?: boolean
  readonly children: ReactNode
}) {
  return (
    <div className={styles.fact} data-large={large}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Reason of a failed training, with its remedy. */
export function FailureNotice({ job }: { readonly job: Job }) {
  const t = useText(run)
  if (!job.error) return null
  return (
    <div role="alert" className={styles.failure}>
      <h2>
        <Icon name="bad" /> {t('failed.title')}
      </h2>
      <p>
        <ErrorText code={job.error.code} english={job.error.message} phrases={job.error.message_phrases} />
      </p>
      {job.reason && job.reason !== job.error.message && (
        <p>
          <ServiceText english={job.reason} phrases={job.reason_phrases} />
        </p>
      )}
      <p className={styles.code}>{job.error.code}</p>
      {job.error.trace && (
        <details>
          <summary>{t('tab.log')}</summary>
          <pre className={styles.trace}>{job.error.trace}</pre>
        </details>
      )}
    </div>
  )
}

/** Notice of a stalled training: since when, in which phase, and what to do. */
export function StallNotice({ job }: { readonly job: Job }) {
  const t = useText(run)
  const format = useFormatters()
  if (!job.stalled) return null
  const { since, doing, doing_phrases, remedy, remedy_phrases } = job.stalled
  return (
    <div role="status" className={styles.stall}>
      <strong>
        <Icon name="waiting" /> {t('stalled.title')}
      </strong>
      <p>
        {format.moment(since)} · <ServiceText english={doing} phrases={doing_phrases} />
      </p>
      <p>
        <ServiceText english={remedy} phrases={remedy_phrases} />
      </p>
    </div>
  )
}
