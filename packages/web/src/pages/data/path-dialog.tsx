import type { Dataset } from '@medloom/contracts'
import { useState } from 'react'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { TaskProgress } from '../../components/task-progress'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { useDatasetEdit } from './use-dataset-edit'

/** Changes where the files of a dataset are. */
export function PathDialog({
  dataset,
  onClose,
}: {
  readonly dataset: Dataset
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [path, setPath] = useState(dataset.path)
  const [images, setImages] = useState(dataset.image_root ?? '')
  const { edit, isEditing, task, error } = useDatasetEdit(dataset, onClose)
  return (
    <Dialog
      title={t('remedy.path')}
      isOpen
      onClose={onClose}
      action={
        <Button
          kind="primary"
          isDisabled={path.trim() === '' || isEditing}
          onPress={() => edit({ path: path.trim(), image_root: images.trim() || null })}
        >
          {t('remedy.path')}
        </Button>
      }
    >
      <p>{t('path.lead')}</p>
      <TextField label={t('path.path')} value={path} onChange={setPath} autoFocus />
      <TextField label={t('path.images')} hint={t('path.images.help')} value={images} onChange={setImages} />
      {task && <TaskProgress label={t('remedy.path')} task={task} />}
      {error && <Problem error={error} />}
    </Dialog>
  )
}
