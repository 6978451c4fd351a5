import type { RouteResponse } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { PlainTable } from '../../components/plain-table'
import { useFigures } from '../../text/figures'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import type { Result } from './evidence'
import styles from './model-page.module.css'

type Ensemble = NonNullable<RouteResponse<'getModel'>['ensemble']>

/** Models whose predictions the ensemble averages. */
export function Members({ ensemble }: { readonly ensemble: Ensemble }) {
  const t = useText(text)
  const figures = useFigures()
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
            figures.count(seed),
            figures.count(epoch),
          ],
        }))}
      />
    </>
  )
}

/** Relation between the disagreement of the members and their errors. */
export function Disagreement({ of }: { readonly of: NonNullable<Result['disagreement']> }) {
  const t = useText(text)
  const figures = useFigures()
  return (
    <>
      <p className={styles.soft}>
        {t('disagreement.lead', { count: of.members, sd: figures.metric(of.mean_sd) })} {of.reason}
      </p>
      {of.groups.length > 0 && (
        <PlainTable
          label={t('disagreement.title')}
          head={[
            t('disagreement.from'),
            t('threshold.cases'),
            t(of.error === 'absolute_error' ? 'disagreement.error' : 'disagreement.rate'),
            t('metrics.interval'),
          ]}
          rows={of.groups.map(({ low, high, cases, error }) => ({
            key: String(low),
            cells: [
              figures.range(low, high),
              figures.count(cases),
              figures.metric(error.estimate),
              figures.range(error.low, error.high),
            ],
          }))}
        />
      )}
    </>
  )
}
