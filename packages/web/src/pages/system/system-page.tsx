import { PageHeader, Panel } from '../../components/panel'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import { Access } from './access'
import { Caches } from './caches'
import { Readiness } from './readiness'
import { Roots } from './roots'
import styles from './system.module.css'
import { Tasks } from './tasks'
import { StoredItems, Usage } from './usage'
import { Users } from './users'
import { Versions } from './versions'

/** Page of the machine and the service: resource usage, stored data, and readiness. */
export function SystemPage() {
  const t = useText(text)
  return (
    <>
      <PageHeader title={t('title')} lead={t('lead')} />
      <div className={styles.page}>
        <Panel title={t('usage.title')} height={8}>
          <Usage />
        </Panel>
        <Panel title={t('tasks.title')} height={8}>
          <Tasks />
        </Panel>
        <Users />
        <div className={styles.columns}>
          <Panel title={t('ready.title')} height={12}>
            <Readiness />
          </Panel>
          <Panel title={t('kept.title')} height={12}>
            <StoredItems />
          </Panel>
          <Panel title={t('cache.title')} height={12}>
            <Caches />
          </Panel>
          <Panel title={t('roots.title')} height={8}>
            <Roots />
          </Panel>
          <Panel title={t('versions.title')} height={8}>
            <Versions />
          </Panel>
          <Panel title={t('access.title')} height={8}>
            <Access />
          </Panel>
        </div>
      </div>
    </>
  )
}
