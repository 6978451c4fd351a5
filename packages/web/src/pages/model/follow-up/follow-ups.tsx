import type { FollowUp } from '@medloom/contracts'
import { PRIMARY_METRIC } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { routeQuery } from '../../../app/service'
import { ErrorNotice } from '../../../components/boundary'
import { Button } from '../../../components/button'
import { FactList } from '../../../components/fact-list'
import { Panel } from '../../../components/panel'
import { Skeleton } from '../../../components/skeleton'
import { followUp as text } from '../../../text/follow-up'
import { useFormatters } from '../../../text/formatters'
import { useText } from '../../../text/use-text'
import styles from '../model-page.module.css'
import { RecalibrationTable } from '../reliability/recalibration'
import type { Model } from '../use-evaluations'
import { Actions } from './actions'
import { CreateFollowUpDialog } from './create-dialog'
import { Drift } from './drift'
import { Windows } from './windows'

/** Limit of follow-ups on the page, the newest ones. */
const SHOWN = 5

/** Follow-ups of the model: coverage, the main metric by time window, drift and alarms; others can be created. */
export function FollowUps({ model: { model_id, task } }: { readonly model: Model }) {
  const t = useText(text)
  const [isCreating, setCreating] = useState(false)
  const list = useQuery(routeQuery('listFollowUps', { model_id, page_size: SHOWN }))
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (!list.data) return null
  const { follow_ups } = list.data
  return (
    <Panel title={t('title')}>
      {follow_ups.length === 0 && <p className={styles.soft}>{t('lead')}</p>}
      {follow_ups.map((one) => (
        <FollowUpView key={one.follow_up_id} followUp={one} metric={PRIMARY_METRIC[task]} />
      ))}
      <div>
        <Button aria-haspopup="dialog" onPress={() => setCreating(true)}>
          {t('create')}
        </Button>
      </div>
      {isCreating && <CreateFollowUpDialog modelId={model_id} onClose={() => setCreating(false)} />}
    </Panel>
  )
}

function FollowUpView({ followUp, metric }: { readonly followUp: FollowUp; readonly metric: string }) {
  const t = useText(text)
  const format = useFormatters()
  const { follow_up_id, name, closed_at, silent, created_at, evaluations } = followUp
  const known = useQuery(routeQuery('getFollowUp', { follow_up_id }))
  const isHidden = silent && closed_at === null
  // It fails if the results of a silent follow-up are not for this user.
  const evaluation = useQuery({
    ...routeQuery('getFollowUpEvaluation', { follow_up_id }),
    enabled: !isHidden && evaluations > 0,
  })
  if (known.isError) return <ErrorNotice error={known.error} onRetry={() => void known.refetch()} />
  if (!known.data) return <Skeleton height={8} />
  const { coverage } = known.data
  const found = evaluation.data ?? null
  return (
    <section className={styles.page}>
      <h3>{name}</h3>
      <FactList
        facts={[
          [t('state'), t(closed_at === null ? 'open' : 'closed')],
          [t('since'), format.moment(created_at)],
          [t('predicted'), format.count(coverage.predicted)],
          [t('withOutcome'), format.count(coverage.with_outcome)],
        ]}
      />
      <Actions followUp={followUp} isHidden={isHidden} />
      <Windows coverage={coverage} evaluation={found} metric={metric} />
      <p className={styles.soft}>
        {found
          ? t('alarmRate', { share: format.percent(found.alpha), evaluations: found.evaluations })
          : t(isHidden ? 'hidden' : 'notEvaluated')}
      </p>
      {found && <Drift coverage={found.coverage} series={found.series} />}
      {found?.update && found.update.reason === null && (
        <details>
          <summary>{t('update')}</summary>
          <RecalibrationTable recalibration={found.update} />
        </details>
      )}
    </section>
  )
}
