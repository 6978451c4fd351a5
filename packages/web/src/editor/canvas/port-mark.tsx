import type { ValueType } from '@medloom/contracts'
import styles from './port-mark.module.css'

/** One letter for each type: ports are told apart without their colour. */
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

/** The mark of a port: letter and colour of its type. The words stand beside it. */
export function PortMark({ type }: { readonly type: ValueType | null }) {
  return (
    <span className={styles.mark} data-port={type ?? 'unknown'} aria-hidden="true">
      {letterOf(type)}
    </span>
  )
}
