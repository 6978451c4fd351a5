import { useSuspenseQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { ServiceText } from '../../components/service-text'
import { Status } from '../../components/status'
import { MACHINE_POLL_MILLISECONDS } from '../../durations'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import styles from './system.module.css'

const NAMES = ['database', 'disk', 'python', 'workers', 'queue'] as const

/** Readiness of the service for training, by component. */
export function Readiness() {
  const t = useText(text)
  const { data } = useSuspenseQuery({
    ...routeQuery('getReady', {}),
    refetchInterval: MACHINE_POLL_MILLISECONDS,
  })
  return (
    <dl className={styles.facts}>
      {NAMES.flatMap((name) => {
        const check = data.checks[name]
        if (!check) return []
        return (
          <div key={name}>
            <dt>{t(`ready.${name}`)}</dt>
            <dd>
              <Status tone={check.ok ? 'good' : 'bad'}>{t(check.ok ? 'ready.ok' : 'ready.bad')}</Status>
              <p className={styles.soft}>
                <ServiceText english={check.message} phrases={check.message_phrases} />
              </p>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
