import { ProgressBar } from 'react-aria-components'
import styles from './progress.module.css'

/** Progress of a long operation. value: 0 to 1; null: unknown. */
export function Progress({ label, value }: { readonly label: string; readonly value: number | null }) {
  const known = value === null ? { isIndeterminate: true } : { value: Math.max(0, Math.min(1, value)) * 100 }
  return (
    <ProgressBar {...known} aria-label={label} className={styles.progress ?? ''}>
      {({ percentage }) => (
        <div className={styles.track} data-indeterminate={value === null}>
          <div className={styles.bar} style={{ inlineSize: `${percentage ?? 30}%` }} />
        </div>
      )}
    </ProgressBar>
  )
}
