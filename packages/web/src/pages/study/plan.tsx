import type { RouteResponse } from '@medloom/contracts'
import { useServiceText } from '../../components/service-text'
import { useFormatters } from '../../text/formatters'
import { study as text } from '../../text/study'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { formatTimeEstimate } from '../train/format-time-estimate'
import styles from './study.module.css'

/** Planned trainings of the study and their estimated duration. */
export function Plan({
  plan,
  isChecking,
}: {
  readonly plan: RouteResponse<'checkStudy'> | undefined
  readonly isChecking: boolean
}) {
  const t = useText(text)
  const words = useText(train)
  const format = useFormatters()
  const say = useServiceText()
  if (!plan) return isChecking ? <p role="status">{words('outlook.checking')}</p> : null
  const { num_trainings: trainings, num_networks: networks, metric, reference, parallel } = plan
  const time = formatTimeEstimate(plan.time, words, format)
  return (
    <section className={styles.plan} role="status">
      <h2>{t('new.plan')}</h2>
      <ul className={styles.lost}>
        <li>{t('new.trainings', { trainings, networks })}</li>
        <li>{t('new.compared', { metric, reference })}</li>
        <li>{t('new.parallel', { count: parallel })}</li>
        <li>
          {plan.time.seconds === null
            ? t('new.timeUnknown', { reason: say(plan.time.reason ?? '', plan.time.reason_phrases) })
            : `${words('time')}: ${time.value} (${time.more})`}
        </li>
      </ul>
    </section>
  )
}
