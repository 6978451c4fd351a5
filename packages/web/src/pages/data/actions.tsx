import type { Dataset } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { invalidate, service } from '../../app/service'
import { Button, LinkButton } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { cacheDataset } from './cache-dataset'
import { PathDialog } from './path-dialog'
import { RolesDialog } from './roles-dialog'

type Question = 'roles' | 'rename' | 'path' | 'delete'

/** Actions on a dataset. */
export function Actions({ dataset }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const [question, setQuestion] = useState<Question | null>(null)
  const onClose = () => setQuestion(null)
  return (
    <>
      {dataset.columns.length > 0 && (
        <LinkButton kind="primary" icon="train" to="/train" search={{ dataset: dataset.dataset_id }}>
          {t('action.train')}
        </LinkButton>
      )}
      {dataset.columns.length > 0 && (
        <Button icon="edit" onPress={() => setQuestion('roles')}>
          {t('action.edit')}
        </Button>
      )}
      <Button icon="tag" onPress={() => setQuestion('rename')}>
        {t('action.rename')}
      </Button>
      <Button icon="folder" onPress={() => setQuestion('path')}>
        {t('remedy.path')}
      </Button>
      <Button kind="danger" icon="delete" onPress={() => setQuestion('delete')}>
        {t('action.delete')}
      </Button>
      {question === 'roles' && <RolesDialog dataset={dataset} onClose={onClose} />}
      {question === 'rename' && <RenameDialog dataset={dataset} onClose={onClose} />}
      {question === 'path' && <PathDialog dataset={dataset} onClose={onClose} />}
      {question === 'delete' && <DeleteDialog dataset={dataset} onClose={onClose} />}
    </>
  )
}

interface DialogProps {
  readonly dataset: Dataset
  readonly onClose: () => void
}

function RenameDialog({ dataset, onClose }: DialogProps) {
  const t = useText(text)
  const [name, setName] = useState(dataset.name)
  const [note, setNote] = useState(dataset.note ?? '')
  const save = useMutation({
    mutationFn: () => service.editDataset({ dataset_id: dataset.dataset_id, name, note }),
    onSuccess: (edited) => {
      cacheDataset(edited)
      onClose()
    },
  })
  return (
    <Dialog
      title={t('action.rename')}
      isOpen
      onClose={onClose}
      action={
        <Button
          kind="primary"
          isDisabled={name.trim() === '' || save.isPending}
          onPress={() => save.mutate()}
        >
          {t('rename.save')}
        </Button>
      }
    >
      <TextField label={t('rename.name')} value={name} onChange={setName} autoFocus />
      <TextField label={t('rename.note')} value={note} onChange={setNote} lines={4} />
      {save.error && <Problem error={save.error} />}
    </Dialog>
  )
}

function DeleteDialog({ dataset, onClose }: DialogProps) {
  const t = useText(text)
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => service.deleteDataset({ dataset_id: dataset.dataset_id }),
    onSuccess: async () => {
      await navigate({ to: '/data' })
      await invalidate('listDatasets')
    },
  })
  return (
    <Dialog
      title={t('delete.title')}
      isOpen
      onClose={onClose}
      action={
        <Button kind="danger" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
          {t('action.delete')}
        </Button>
      }
    >
      <p>{t('delete.text')}</p>
      {remove.error && <Problem error={remove.error} />}
    </Dialog>
  )
}
