import { type ReactNode, useEffect, useId, useState } from 'react'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Button } from './button'
import { Panel } from './panel'
import styles from './panel-list.module.css'

/** A panel with its own link. */
export interface ListedPanel {
  /** Fragment of its address. */
  readonly id: string
  readonly title: string
  readonly content: ReactNode
  /** Height of its content while it loads, in rem. */
  readonly height?: number
}

/** The panels of a long page below each other, with a list of contents that highlights the current one. */
export function PanelList({ panels }: { readonly panels: readonly ListedPanel[] }) {
  const ids = panels.map(({ id }) => id).join(' ')
  const current = usePanelInView(ids)
  useAddressedPanel(ids)
  return (
    <div className={styles.layout}>
      <Contents panels={panels} current={current} />
      <div className={styles.panels}>
        {panels.map(({ id, title, content, height }) => (
          <div key={id} id={id} tabIndex={-1} className={styles.target}>
            <Panel title={title} {...(height === undefined ? {} : { height })}>
              {content}
            </Panel>
          </div>
        ))}
      </div>
    </div>
  )
}

/** Collapsed to one button if there is no space next to the panels. */
function Contents({
  panels,
  current,
}: {
  readonly panels: readonly ListedPanel[]
  readonly current: string | undefined
}) {
  const t = useText(parts)
  const list = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <nav aria-label={t('contents')} className={styles.contents} data-open={isOpen}>
      <p className={styles.title}>{t('contents')}</p>
      <div className={styles.toggle}>
        <Button
          icon={isOpen ? 'down' : 'right'}
          aria-expanded={isOpen}
          aria-controls={list}
          onPress={() => setOpen(!isOpen)}
        >
          {t('contents')}
        </Button>
      </div>
      <ol id={list} className={styles.list}>
        {panels.map(({ id, title }) => (
          <li key={id}>
            {/* Not a router link: the router highlights the fragment of the address, not the panel in view. */}
            <a
              href={`#${id}`}
              className={styles.link}
              aria-current={id === current ? 'location' : undefined}
              onClick={() => {
                setOpen(false)
                focusPanel(id)
              }}
            >
              {title}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** Panel at the upper edge of the window; the first one while all of them are further down. */
function usePanelInView(ids: string): string | undefined {
  const [current, setCurrent] = useState<string>()
  useEffect(() => {
    const visible = new Map<string, boolean>()
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) visible.set(target.id, isIntersecting)
        const first = ids.split(' ').find((id) => visible.get(id))
        if (first !== undefined) setCurrent(first)
      },
      // Only the upper third counts, because that is where people read. A panel that a link leads to begins a little below the edge of the
      // window, so the edge itself, which the panel before it may touch, does not count.
      { rootMargin: '-8px 0px -66% 0px' },
    )
    for (const id of ids.split(' ')) {
      const panel = document.getElementById(id)
      if (panel) observer.observe(panel)
    }
    return () => observer.disconnect()
  }, [ids])
  return current ?? ids.split(' ')[0]
}

/** Scrolls to the panel that the address names, even if the panel is loaded after the page. */
function useAddressedPanel(ids: string): void {
  useEffect(() => {
    const id = decodeURIComponent(location.hash.slice(1))
    if (ids.split(' ').includes(id)) focusPanel(id)
  }, [ids])
}

/** The focus moves as well, so that the next Tab key enters the panel. */
function focusPanel(id: string): void {
  const panel = document.getElementById(id)
  panel?.focus({ preventScroll: true })
  panel?.scrollIntoView()
}
