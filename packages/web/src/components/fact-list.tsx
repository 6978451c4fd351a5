import type { ReactNode } from 'react'
import styles from './fact-list.module.css'

/** List of short facts: each label with its value. */
export function FactList({
  label,
  facts,
}: {
  readonly label?: string
  readonly facts: readonly (readonly [words: string, value: ReactNode])[]
}) {
  return (
    <dl className={styles.facts} aria-label={label}>
      {facts.map(([words, value]) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}
