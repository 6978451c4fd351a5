import type { ValueType } from '@medloom/contracts'
import styles from './port-icon.module.css'

/** One letter per type, so that ports can be distinguished without color. */
export const LETTERS = {
  image: 'I',
  tabular: 'T',
  dataset: 'D',
  model: 'M',
  config: 'C',
  metrics: 'S',
  path: 'F',
  tensor: 'X',
  any: '*',
  multimodal: 'IT',
  training_data: 'DC',
} as const satisfies Record<ValueType, string>

export const letterOf = (type: ValueType | null): string => (type === null ? '?' : LETTERS[type])

/** Mark of a port: the letter and color of its type. The text is next to it. */
export function PortIcon({ type }: { readonly type: ValueType | null }) {
  return (
    <span className={styles.mark} data-port={type ?? 'unknown'} aria-hidden="true">
      {letterOf(type)}
    </span>
  )
}
