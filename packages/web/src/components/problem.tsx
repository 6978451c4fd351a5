import { MedloomError } from '@medloom/client'
import type { ReactNode } from 'react'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Icon } from './icon'
import styles from './problem.module.css'
import { ErrorText, IssueRemedy, IssueText, Remedy } from './service-text'

/** Error at the place where it occurred: message, remedy, each location, and the error code. */
export function Problem({ error, children }: { readonly error: unknown; readonly children?: ReactNode }) {
  const t = useText(parts)
  const known = error instanceof MedloomError ? error : null
  return (
    <div role="alert" className={styles.problem}>
      <p className={styles.title}>
        <Icon name="bad" />
        {known ? (
          <ErrorText code={known.code} english={known.message} phrases={known.phrases.message} />
        ) : (
          t('problem.broken')
        )}
      </p>
      {known && known.details !== '' && (
        <p>
          <Remedy code={known.code} english={known.details} phrases={known.phrases.details} />
        </p>
      )}
      {!known && error instanceof Error && <p className={styles.code}>{error.message}</p>}
      {known && known.issues.length > 0 && (
        <ul className={styles.issues}>
          {known.issues.map((issue) => (
            <li key={`${issue.path} ${issue.code}`}>
              <code>{issue.path || '.'}</code> <IssueText issue={issue} />
              {issue.hint && (
                <span className={styles.hint}>
                  {' '}
                  <IssueRemedy issue={issue} />
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
