import type { ReactNode } from 'react'
import styles from './cards.module.css'

/** Items of one kind in a grid, as many per row as fit. */
export function Cards({ children }: { readonly children: ReactNode }) {
  return <ul className={styles.cards}>{children}</ul>
}

export function Card({ children }: { readonly children: ReactNode }) {
  return <li className={styles.card}>{children}</li>
}
