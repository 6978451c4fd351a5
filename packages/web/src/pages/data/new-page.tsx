import type { BackgroundTask, Inspection } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { service } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Button } from '../../components/button'
import { EmptyState, PageHeader, Panel } from '../../components/panel'
import { Problem } from '../../components/problem'
import { Skeleton } from '../../components/skeleton'
import { TaskProgress, useTask } from '../../components/task-progress'
import { FolderView } from '../../files/folder-view'
import { UploadPanel } from '../../files/upload-panel'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import type { InspectRequest } from './inspect-request'
import { InspectionResult } from './inspection-result'
import styles from './new-page.module.css'

const route = getRouteApi('/data/new')

/** Registration of a dataset: its location, the inspection, and the registration itself. The address stores the inspection task. */
export function NewDatasetPage() {
  const t = useText(text)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const task = useTask(search.task)
  const inspect = useMutation({
    mutationFn: (request: InspectRequest) => service.startTask('inspectDataset', request),
    onSuccess: ({ task_id }) => navigate({ search: (before) => ({ ...before, task: task_id }) }),
  })
  const inspectPath = useCallback((path: string) => inspect.mutate({ path }), [inspect.mutate])
  return (
    <>
      <PageHeader title={t('new.title')} lead={t('new.lead')} />
      <div className={styles.page}>
        {inspect.error && <Problem error={inspect.error} />}
        {search.task === undefined ? (
          <Sources
            folder={search.folder}
            onOpen={(folder) => void navigate({ search: (before) => ({ ...before, folder }), replace: true })}
            onChoose={inspectPath}
          />
        ) : (
          <>
            {task.isPending && <Skeleton height={20} />}
            {task.isError && <ErrorNotice error={task.error} onRetry={() => void task.refetch()} />}
            {task.data && <InspectionTask task={task.data} onInspect={inspect.mutate} />}
          </>
        )}
      </div>
    </>
  )
}

function Sources({
  folder,
  onOpen,
  onChoose,
}: {
  readonly folder: string | undefined
  readonly onOpen: (folder: string | undefined) => void
  readonly onChoose: (path: string) => void
}) {
  const t = useText(text)
  const chooseUpload = useCallback(
    (folderPath: string, paths: readonly string[]) => onChoose(sourceOf(folderPath, paths)),
    [onChoose],
  )
  return (
    <div className={styles.sources}>
      <Panel title={t('new.pick')}>
        <FolderView folder={folder} accepts="tableOrFolder" onOpen={onOpen} onChoose={onChoose} />
      </Panel>
      <Panel title={t('new.upload')}>
        <UploadPanel onDone={chooseUpload} />
      </Panel>
    </div>
  )
}

/** A single table next to the images is the dataset; otherwise the folder is inspected. */
function sourceOf(folder: string, paths: readonly string[]): string {
  const tables = paths.filter((path) => !path.includes('/') && /\.(csv|xlsx|json)$/i.test(path))
  return tables.length === 1 ? `${folder}/${tables[0]}` : folder
}

function InspectionTask({
  task,
  onInspect,
}: {
  readonly task: BackgroundTask
  readonly onInspect: (request: InspectRequest) => void
}) {
  const t = useText(text)
  const request = task.request as InspectRequest
  return (
    <>
      <div className={styles.path}>
        <bdi>{request.path}</bdi>
        <route.Link to="/data/new" search={({ folder }) => ({ folder })}>
          {t('new.other')}
        </route.Link>
      </div>
      {task.state !== 'completed' && (
        <Panel title={t('new.inspect.title')}>
          <TaskProgress label={t('new.inspect.title')} task={task} />
          {task.state === 'cancelled' && (
            <EmptyState title={t('new.cancelled')}>
              <Button onPress={() => onInspect(request)}>{t('roles.apply')}</Button>
            </EmptyState>
          )}
        </Panel>
      )}
      {task.state === 'completed' && (
        <InspectionResult
          key={task.task_id}
          found={task.result as Inspection}
          request={request}
          task={task.task_id}
          onInspect={onInspect}
        />
      )}
    </>
  )
}
