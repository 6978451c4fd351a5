import type { ReactNode } from 'react'
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components'
import { Boundary } from './boundary'
import { Skeleton } from './skeleton'
import styles from './tabs.module.css'

export interface TabOf<Id extends string> {
  readonly id: Id
  readonly title: string
  readonly content: () => ReactNode
}

/** Views of one item. The address stores the open tab. Each tab has its own loading and error states. */
export function Tabs<Id extends string>({
  label,
  tabs,
  open,
  onOpen,
}: {
  readonly label: string
  readonly tabs: readonly TabOf<Id>[]
  readonly open: Id
  readonly onOpen: (id: Id) => void
}) {
  return (
    <AriaTabs selectedKey={open} onSelectionChange={(key) => onOpen(key as Id)} className={styles.tabs ?? ''}>
      <TabList aria-label={label} className={styles.list ?? ''}>
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className={styles.tab ?? ''}>
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={styles.panel ?? ''}>
          <Boundary loading={<Skeleton height={16} />}>{content()}</Boundary>
        </TabPanel>
      ))}
    </AriaTabs>
  )
}
