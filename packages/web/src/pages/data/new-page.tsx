import type { BackgroundTask, Inspection } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
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
import { needsRecipe, type ProposalRequest } from './proposal/proposal'
import { ProposalTask } from './proposal/proposal-task'

const route = getRouteApi('/data/new')

/** Registration of a dataset: its location, how its files belong together, the inspection, and the registration itself. The address stores the task. */
export function NewDatasetPage() {
  const t = useText(text)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const task = useTask(search.task)
  const inspect = useMutation({
    mutationFn: (request: InspectRequest) => service.startTask('inspectDataset', request),
    onSuccess: ({ task_id }) => navigate({ search: (before) => ({ ...before, task: task_id }) }),
  })
  const propose = useMutation({
    mutationFn: (request: ProposalRequest) => service.startTask('proposeRecipe', request),
    onSuccess: ({ task_id }) =>
      navigate({
        search: (before) => ({ ...before, task: task_id }),
        // Otherwise, "back" returns to the failed inspection, which requests the proposal again.
        replace: task.data !== undefined && needsRecipe(task.data),
      }),
  })
  const inspectPath = useCallback((path: string) => inspect.mutate({ path }), [inspect.mutate])
  return (
    <>
      <PageHeader title={t('new.title')} lead={t('new.lead')} />
      <div className={styles.page}>
        {inspect.error && <Problem error={inspect.error} />}
        {propose.error && <Problem error={propose.error} />}
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
            {task.data && (
              <TaskOfData task={task.data} onInspect={inspect.mutate} onPropose={propose.mutate} />
            )}
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

interface TaskProps {
  readonly task: BackgroundTask
  readonly onInspect: (request: InspectRequest) => void
  readonly onPropose: (request: ProposalRequest) => void
}

/** The chosen path with the inspection of it, or the proposal of how its files belong together. */
function TaskOfData(props: TaskProps) {
  const t = useText(text)
  const { task, onPropose } = props
  const { path, recipe } = task.request as InspectRequest
  const isProposal = task.route === 'proposeRecipe'
  return (
    <>
      <div className={styles.path}>
        <bdi>{path}</bdi>
        <route.Link to="/data/new" search={({ folder }) => ({ folder })}>
          {t('new.other')}
        </route.Link>
        {!isProposal && !recipe && (
          <Button icon="search" onPress={() => onPropose({ path })}>
            {t('proposal.find')}
          </Button>
        )}
      </div>
      {isProposal ? <ProposalTask {...props} /> : <InspectionTask {...props} />}
    </>
  )
}

function InspectionTask({ task, onInspect, onPropose }: TaskProps) {
  const t = useText(text)
  const request = task.request as InspectRequest
  useProposalIfNeeded(task, onPropose)
  if (task.state === 'completed')
    return (
      <InspectionResult
        key={task.task_id}
        found={task.result as Inspection}
        request={request}
        task={task.task_id}
        onInspect={onInspect}
      />
    )
  return (
    <Panel title={t('new.inspect.title')}>
      <TaskProgress label={t('new.inspect.title')} task={task} />
      {task.state === 'cancelled' && (
        <EmptyState title={t('new.cancelled')}>
          <Button onPress={() => onInspect(request)}>{t('roles.apply')}</Button>
        </EmptyState>
      )}
    </Panel>
  )
}

/** Requests a proposal, once, after an inspection that could not read the files as they are. */
function useProposalIfNeeded(task: BackgroundTask, onPropose: TaskProps['onPropose']): void {
  const proposedAfter = useRef('')
  useEffect(() => {
    if (!needsRecipe(task) || proposedAfter.current === task.task_id) return
    proposedAfter.current = task.task_id
    onPropose({ path: (task.request as InspectRequest).path })
  }, [task, onPropose])
}
