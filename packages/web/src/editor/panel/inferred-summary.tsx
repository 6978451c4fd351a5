import type { InferredValue } from '@medloom/contracts'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import styles from './port-list.module.css'

/** Short description of a value that was inferred before a run; null if nothing is known. */
export function useInferredSummary(value: InferredValue | undefined): string | null {
  const t = useText(text)
  if (!value) return null
  const { cases, num_columns, classes, shape } = value
  const known = [
    cases !== undefined && t('known.cases', { count: cases }),
    num_columns !== undefined && t('known.columns', { count: num_columns }),
    classes && t('known.classes', { names: classes.join(', ') }),
    shape && t('known.shape', { shape: shape.map((side) => side ?? '?').join(' × ') }),
  ].filter((fact) => typeof fact === 'string')
  return known.length === 0 ? null : known.join(' · ')
}

/** Inferred value with the names of the columns. */
export function InferredSummary({ value }: { readonly value: InferredValue | undefined }) {
  const words = useInferredSummary(value)
  if (words === null) return null
  if (!value?.columns || value.columns.length === 0) return <span className={styles.soft}>{words}</span>
  const more = (value.num_columns ?? 0) > value.columns.length
  return (
    <details className={styles.soft}>
      <summary>{words}</summary>
      <span dir="auto">{`${value.columns.join(', ')}${more ? ', …' : ''}`}</span>
    </details>
  )
}
