import { Link } from '@tanstack/react-router'
import { PlainTable } from '../../components/plain-table'
import { NONE, useFormatters } from '../../text/formatters'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import { foldName } from './fold-name'
import type { Study } from './live-study'
import styles from './study.module.css'

/** Selected settings of a search for every seed and fold, and the number of trials. */
export function SearchResults({ search }: { readonly search: NonNullable<Study['search']> }) {
  const t = useText(text)
  const format = useFormatters()
  const { trials, metric, choices } = search
  return (
    <div className={styles.page}>
      <div>
        <p>{t('search.lead', { trials, metric })}</p>
        <p className={styles.soft}>{t('search.counts', search)}</p>
      </div>
      <PlainTable
        label={t('search.title')}
        head={[
          t('search.place'),
          t('search.settings'),
          { key: 'value', title: `${t('search.value')}: ${metric}`, numeric: true },
          t('search.job'),
          t('search.state'),
        ]}
        rows={choices.map(({ seed, repeat, fold, best, ended }) => ({
          key: `${seed} ${repeat} ${fold}`,
          cells: [
            `${format.count(seed)} · ${foldName({ repeat, fold }, format)}`,
            best === null
              ? NONE
              : Object.entries(best.settings).map(([key, value]) => (
                  <div key={key} className={styles.setting}>
                    {key} = {JSON.stringify(value)}
                  </div>
                )),
            format.metric(best?.value),
            best?.job_id ? (
              <Link to="/runs/$jobId" params={{ jobId: best.job_id }}>
                {best.job_id.slice(0, 8)}
              </Link>
            ) : (
              NONE
            ),
            best === null ? NONE : t(ended ? 'search.ended' : 'search.running'),
          ],
        }))}
      />
    </div>
  )
}
