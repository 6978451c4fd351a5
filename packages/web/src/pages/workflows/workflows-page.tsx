import { usePages } from '../../app/pages'
import { ErrorNotice } from '../../components/boundary'
import { Button } from '../../components/button'
import { EmptyState, PageHeader, Panel } from '../../components/panel'
import { Problem } from '../../components/problem'
import { Skeleton } from '../../components/skeleton'
import { useText } from '../../text/use-text'
import { workflows as text } from '../../text/workflows'
import { ImportButton, useDrop } from './import-workflow'
import { LISTED } from './queries'
import { Templates } from './templates'
import { useCreateWorkflow } from './use-create-workflow'
import { WorkflowTable } from './workflow-table'
import styles from './workflows-page.module.css'

/** List of all workflows, and templates for new ones. */
export function WorkflowsPage() {
  const t = useText(text)
  const create = useCreateWorkflow()
  const drop = useDrop(create.importFile)
  return (
    <div {...drop} className={styles.page}>
      <PageHeader title={t('title')} lead={t('lead')}>
        <ImportButton onFile={create.importFile} />
        <Button kind="primary" icon="workflow" onPress={create.empty} isDisabled={create.isPending}>
          {t('new')}
        </Button>
      </PageHeader>
      {create.notJson && <p role="alert">{t('import.notJson', { name: create.notJson })}</p>}
      {create.error && <Problem error={create.error} />}
      <Panel title={t('yours')} height={12}>
        <List />
        <p className={styles.soft}>{t('import.drop')}</p>
      </Panel>
      <Panel title={t('templates')} height={20}>
        <p className={styles.soft}>{t('templates.lead')}</p>
        <Templates onUse={create.from} />
      </Panel>
    </div>
  )
}

function List() {
  const t = useText(text)
  const list = usePages('listWorkflows', 'workflows', LISTED, { isLive: true })
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (list.isPending) return <Skeleton height={12} />
  if (list.items.length === 0) return <EmptyState title={t('empty')} />
  return (
    <div className={styles.list}>
      <WorkflowTable workflows={list.items} />
      {list.hasNextPage && <Button onPress={list.more}>{t('more')}</Button>}
    </div>
  )
}
