import type { ReactNode } from 'react'
import styles from './cards.module.css'

/** Things of one kind beside each other, as many in a line as fit. */
export function Cards({ children }: { readonly children: ReactNode }) {
  return <ul className={styles.cards}>{children}</ul>
}

export function Card({ children }: { readonly children: ReactNode }) {
  return <li className={styles.card}>{children}</li>
}
