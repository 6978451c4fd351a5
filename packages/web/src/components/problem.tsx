import { MedloomError } from '@medloom/client'
import type { ReactNode } from 'react'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Icon } from './icon'
import styles from './problem.module.css'
import { Remedy } from './service-text'

/** Error at the place where it occurred: message, remedy, each location, and the error code. */
export function Problem({ error, children }: { readonly error: unknown; readonly children?: ReactNode }) {
  const t = useText(parts)
  const known = error instanceof MedloomError ? error : null
  return (
    <div role="alert" className={styles.problem}>
      <p className={styles.title}>
        <Icon name="bad" />
        {known?.message ?? t('problem.broken')}
      </p>
      {known && known.details !== '' && (
        <p>
          <Remedy code={known.code} english={known.details} />
        </p>
      )}
      {!known && error instanceof Error && <p className={styles.code}>{error.message}</p>}
      {known && known.issues.length > 0 && (
        <ul className={styles.issues}>
          {known.issues.map((issue) => (
            <li key={`${issue.path} ${issue.code}`}>
              <code>{issue.path || '.'}</code> {issue.message}
              {issue.hint && (
                <span className={styles.hint}>
                  {' '}
                  <Remedy code={issue.code} english={issue.hint} suggestion={issue.suggestion} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {known && <p className={styles.code}>{known.code}</p>}
      {children}
    </div>
  )
}
