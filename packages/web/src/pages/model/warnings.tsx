import { Icon } from '../../components/icon'
import { WarningWords } from '../../components/warning'
import type { Evidence } from './evidence'
import styles from './model-page.module.css'

/** Warnings about the interpretation of the results. */
export function Warnings({ document: { result } }: Evidence) {
  return (
    <ul className={styles.warnings}>
      {result.warnings.map(({ code, message }) => (
        <li key={`${code} ${message}`}>
          <Icon name="bad" />
          <span>
            <WarningWords {...{ code, message }} /> <code className={styles.soft}>{code}</code>
          </span>
        </li>
      ))}
    </ul>
  )
}
