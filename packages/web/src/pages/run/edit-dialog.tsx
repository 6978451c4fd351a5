import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { run } from '../../text/run'
import { useText } from '../../text/use-text'
import type { Job } from './live-job'

/** Name, tags and note of a training. They do not affect the training. */
export function EditDialog({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const t = useText(run)
  const [name, setName] = useState(job.job_name)
  const [tags, setTags] = useState(job.tags.join(', '))
  const [note, setNote] = useState(job.note)
  const save = useMutation({
    mutationFn: () =>
      service.editJob({
        job_id: job.job_id,
        job_name: name,
        note,
        tags: tags.split(',').filter((tag) => tag.trim() !== ''),
      }),
    onSuccess: async () => {
      await invalidate('getJobStatus', 'listJobs', 'listJobTags')
      onClose()
    },
  })
  return (
    <Dialog
      title={t('note.title')}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isDisabled={save.isPending} onPress={() => save.mutate()}>
          {t('note.save')}
        </Button>
      }
    >
      <TextField label={t('note.name')} value={name} onChange={setName} autoFocus />
      <TextField label={t('note.tags')} hint={t('note.tagsHint')} value={tags} onChange={setTags} />
      <TextField label={t('note.note')} lines={5} value={note} onChange={setNote} />
      {save.isError && <Problem error={save.error} />}
    </Dialog>
  )
}
