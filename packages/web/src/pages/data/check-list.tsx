import type { Inspection } from '@medloom/contracts'
import type { ReactNode } from 'react'
import { ServiceText } from '../../components/service-text'
import { WarningText } from '../../components/warning-text'
import { useContractText } from '../../text/contracts'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { isNamed } from './check-names'
import styles from './checks.module.css'
import { ReadinessBadge } from './readiness-badge'

type Check = Inspection['readiness']['checks'][number]
const ORDER = ['blocked', 'warning'] as const

/** Failed checks first; passed checks are collapsed. action: remedy of a check. */
export function CheckList({
  checks,
  action,
}: {
  readonly checks: readonly Check[]
  readonly action?: (check: Check) => ReactNode
}) {
  const t = useText(text)
  const passed = checks.filter(({ status }) => status === 'ready')
  const failed = ORDER.flatMap((severity) => checks.filter(({ status }) => status === severity))
  return (
    <div className={styles.checks}>
      <ul className={styles.list}>
        {failed.map((check) => (
          <li key={`${check.key} ${check.message}`} className={styles.check}>
            <ReadinessBadge status={check.status} />
            <div className={styles.words}>
              <Words check={check} />
              <Hint check={check} />
              <code className={styles.code}>{check.key}</code>
            </div>
            {action?.(check)}
          </li>
        ))}
      </ul>
      {passed.length > 0 && (
        <details className={styles.passed} open={failed.length === 0}>
          <summary>{t('checks.passed', { count: passed.length })}</summary>
          <ul className={styles.list}>
            {passed.map((check) => (
              <li key={`${check.key} ${check.message}`} className={styles.check}>
                <ReadinessBadge status="ready" />
                <Words check={check} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** Remedy of the check, unless the translated meaning of a warning already contains it. */
function Hint({ check: { key, hint, hint_phrases: phrases } }: { readonly check: Check }) {
  const { warning } = useContractText()
  if (!hint || (!phrases && warning(key) !== null)) return null
  return (
    <p className={styles.hint}>
      <ServiceText english={hint} phrases={phrases} />
    </p>
  )
}

/** Title of the check in the user's language, with the details of this dataset. */
function Words({ check: { key, message, message_phrases: phrases } }: { readonly check: Check }) {
  const t = useText(text)
  if (!isNamed(key))
    return (
      <p>
        <WarningText {...{ code: key, message, phrases }} />
      </p>
    )
  return (
    <p>
      <strong>{t(`checks.of.${key}`)}</strong> <ServiceText english={message} phrases={phrases} />
    </p>
  )
}
