import { type ReactNode, useId } from 'react'
import { Boundary } from './boundary'
import styles from './panel.module.css'
import { Skeleton } from './skeleton'

/** A titled part of a page with its own loading and error states. height: height of its content while it loads, in rem. */
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

/** Title of a page with its frequent actions. It also sets the window title. */
export function PageHeader({
  title,
  lead,
  children,
}: {
  readonly title: string
  readonly lead?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <header className={styles.pageHeader}>
      <title>{`${title} · Medloom`}</title>
      <div className={styles.heading}>
        <h1>{title}</h1>
        {lead && <div className={styles.lead}>{lead}</div>}
      </div>
      {children && <div className={styles.actions}>{children}</div>}
    </header>
  )
}

/** Empty state: the reason, and the next step. */
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{title}</p>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  )
}
