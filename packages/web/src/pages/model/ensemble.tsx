import type { RouteResponse } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { PlainTable } from '../../components/plain-table'
import { ServiceText } from '../../components/service-text'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { Result } from './view-props'

type Ensemble = NonNullable<RouteResponse<'getModel'>['ensemble']>

/** Models whose predictions the ensemble averages. */
export function Members({ ensemble }: { readonly ensemble: Ensemble }) {
  const t = useText(text)
  const format = useFormatters()
  return (
    <>
      {ensemble.trained_on_every_fold && <p className={styles.soft}>{t('ensemble.everyFold')}</p>}
      <PlainTable
        label={t('ensemble.members')}
        head={[t('ensemble.model'), t('ensemble.job'), t('ensemble.seed'), t('ensemble.epoch')]}
        rows={ensemble.members.map(({ model_id, job_id, job_name, seed, epoch }) => ({
          key: `${job_id} ${epoch}`,
          cells: [
            <Link key="model" to="/models/$id" params={{ id: model_id }}>
              {model_id}
            </Link>,
            <Link key="job" to="/runs/$jobId" params={{ jobId: job_id }}>
              {job_name}
            </Link>,
            format.count(seed),
            format.count(epoch),
          ],
        }))}
      />
    </>
  )
}

/** Relation between the disagreement of the members and their errors. */
export function Disagreement({
  disagreement,
}: {
  readonly disagreement: NonNullable<Result['disagreement']>
}) {
  const t = useText(text)
  const format = useFormatters()
  return (
    <>
      <p className={styles.soft}>
        {t('disagreement.lead', { count: disagreement.members, sd: format.metric(disagreement.mean_sd) })}{' '}
        {disagreement.reason && (
          <ServiceText english={disagreement.reason} phrases={disagreement.reason_phrases} />
        )}
      </p>
      {disagreement.groups.length > 0 && (
        <PlainTable
          label={t('disagreement.title')}
          head={[
            t('disagreement.from'),
            t('threshold.cases'),
            t(disagreement.error === 'absolute_error' ? 'disagreement.error' : 'disagreement.rate'),
            t('metrics.interval'),
          ]}
          rows={disagreement.groups.map(({ low, high, cases, error }) => ({
            key: String(low),
            cells: [
              format.range(low, high),
              format.count(cases),
              format.metric(error.estimate),
              format.range(error.low, error.high),
            ],
          }))}
        />
      )}
    </>
  )
}
