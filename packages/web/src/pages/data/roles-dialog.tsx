import type { Dataset } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { TaskProgress, useTask } from '../../components/task-progress'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { cacheDataset } from './cache-dataset'
import { PositiveClass } from './positive-class'
import { type Roles, RoleTable } from './role-table'

/** Dialog for the roles of the columns; the files are inspected again, and existing trainings do not change. */
export function RolesDialog({
  dataset,
  start,
  onClose,
}: {
  readonly dataset: Dataset
  /** Proposed roles; absent: the current roles. */
  readonly start?: Roles
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [roles, setRoles] = useState(start ?? dataset.roles ?? {})
  const [positive, setPositive] = useState(
    dataset.positive_class_named ? (dataset.positive_class ?? null) : null,
  )
  const save = useMutation({
    mutationFn: () =>
      service.startTask('editDataset', {
        dataset_id: dataset.dataset_id,
        roles,
        positive_class: positive,
      }),
  })
  const { data: task } = useTask(save.data?.task_id)
  const edited = task?.state === 'completed' ? (task.result as Dataset) : null
  useEffect(() => {
    if (!edited) return
    cacheDataset(edited)
    onClose()
  }, [edited, onClose])
  return (
    <Dialog
      title={t('roles.title')}
      size="wide"
      isOpen
      onClose={onClose}
      action={
        <Button
          kind="primary"
          isDisabled={save.isPending || task?.state === 'running'}
          onPress={() => save.mutate()}
        >
          {t('roles.apply')}
        </Button>
      }
    >
      <p>{t('roles.lead')}</p>
      <p>{t('roles.jobs')}</p>
      <RoleTable found={dataset} roles={roles} onChange={setRoles} />
      <PositiveClass found={dataset} chosen={positive} onChange={setPositive} />
      {task && <TaskProgress label={t('roles.apply')} task={task} />}
      {save.error && <Problem error={save.error} />}
    </Dialog>
  )
}
