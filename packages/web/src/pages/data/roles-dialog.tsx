import type { Dataset } from '@medloom/contracts'
import { useState } from 'react'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { TaskProgress } from '../../components/task-progress'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { PositiveClass } from './positive-class'
import { type Roles, RoleTable } from './role-table'
import { useDatasetEdit } from './use-dataset-edit'

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
  const { edit, isEditing, task, error } = useDatasetEdit(dataset, onClose)
  return (
    <Dialog
      title={t('roles.title')}
      size="wide"
      isOpen
      onClose={onClose}
      action={
        <Button
          kind="primary"
          isDisabled={isEditing}
          onPress={() => edit({ roles, positive_class: positive })}
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
      {error && <Problem error={error} />}
    </Dialog>
  )
}
