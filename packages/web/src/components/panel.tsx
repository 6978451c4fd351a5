import { type ReactNode, useId } from 'react'
import { Boundary } from './boundary'
import styles from './panel.module.css'
import { Skeleton } from './skeleton'

/** A part of a page with a title. It loads and breaks alone. height: of what it shows, in rem, while it loads. */
export function Panel({
  title,
  actions,
  height = 8,
  children,
}: {
  readonly title: string
  readonly actions?: ReactNode
  readonly height?: number
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles.panel}>
      <header className={styles.header}>
        <h2 id={id}>{title}</h2>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      <Boundary loading={<Skeleton height={height} />}>{children}</Boundary>
    </section>
  )
}

/** The head of a page: what it is about, and the frequent actions beside it. It names the window too. */
export function PageHead({
  title,
  lead,
  children,
}: {
  readonly title: string
  readonly lead?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <header className={styles.pageHead}>
      <title>{`${title} · Medloom`}</title>
      <div className={styles.words}>
        <h1>{title}</h1>
        {lead && <div className={styles.lead}>{lead}</div>}
      </div>
      {children && <div className={styles.actions}>{children}</div>}
    </header>
  )
}

/** Nothing is here yet: why, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{title}</p>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  )
}
