import { PageHead, Panel } from '../../components/panel'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import { Access } from './access'
import { Caches } from './caches'
import { People } from './people'
import { Readiness } from './readiness'
import { Roots } from './roots'
import styles from './system.module.css'
import { Tasks } from './tasks'
import { Kept, Usage } from './usage'
import { Versions } from './versions'

/** Page of the machine and the service: resource usage, stored data, and readiness. */
export function SystemPage() {
  const t = useText(text)
  return (
    <>
      <PageHead title={t('title')} lead={t('lead')} />
      <div className={styles.page}>
        <Panel title={t('usage.title')} height={8}>
          <Usage />
        </Panel>
        <Panel title={t('tasks.title')} height={8}>
          <Tasks />
        </Panel>
        <People />
        <div className={styles.columns}>
          <Panel title={t('ready.title')} height={12}>
            <Readiness />
          </Panel>
          <Panel title={t('kept.title')} height={12}>
            <Kept />
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
