import type { Inspection } from '@medloom/contracts'
import type { ReactNode } from 'react'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import styles from './checks.module.css'
import { ReadinessState } from './readiness'

type Check = Inspection['readiness']['checks'][number]
const ORDER = ['blocked', 'warning'] as const

/** What is wrong first; what passed is folded. action: what can be done about a check. */
export function CheckList({
  checks,
  action,
}: {
  readonly checks: readonly Check[]
  readonly action?: (check: Check) => ReactNode
}) {
  const t = useText(text)
  const passed = checks.filter(({ status }) => status === 'ready')
  const wrong = ORDER.flatMap((wanted) => checks.filter(({ status }) => status === wanted))
  return (
    <div className={styles.checks}>
      <ul className={styles.list}>
        {wrong.map((check) => (
          <li key={`${check.key} ${check.message}`} className={styles.check}>
            <ReadinessState status={check.status} />
            <div className={styles.words}>
              <p>{check.message}</p>
              {check.hint && <p className={styles.hint}>{check.hint}</p>}
              <code className={styles.code}>{check.key}</code>
            </div>
            {action?.(check)}
          </li>
        ))}
      </ul>
      {passed.length > 0 && (
        <details className={styles.passed} open={wrong.length === 0}>
          <summary>{t('checks.passed', { count: passed.length })}</summary>
          <ul className={styles.list}>
            {passed.map((check) => (
              <li key={`${check.key} ${check.message}`} className={styles.check}>
                <ReadinessState status="ready" />
                <p>{check.message}</p>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
