import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { changed, read, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { ServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { useFigures } from '../../text/figures'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { KnownModel } from './use-evaluations'

/** Shows what a deletion would remove, as the service reports it, before anything is deleted. */
export function DeleteDialog({
  model: { model_id },
  onClose,
}: {
  readonly model: KnownModel
  readonly onClose: () => void
}) {
  const t = useText(text)
  const figures = useFigures()
  const navigate = useNavigate()
  const loss = useQuery(read('deleteModel', { model_id, dry_run: 'true' }))
  const remove = useMutation({
    mutationFn: () => service.deleteModel({ model_id }),
    onSuccess: async () => {
      await navigate({ to: '/models' })
      await changed('listModels', 'listJobs')
    },
  })
  const error = remove.error ?? loss.error
  return (
    <Dialog
      title={t('delete.title', { name: model_id })}
      isOpen
      onClose={onClose}
      action={
        <Button
          kind="danger"
          isDisabled={!loss.data}
          isPending={remove.isPending}
          onPress={() => remove.mutate()}
        >
          {t('delete')}
        </Button>
      }
    >
      {loss.isPending && <Skeleton height={8} />}
      {loss.data && (
        <>
          <p>{t('delete.lost', { count: loss.data.files, size: figures.bytes(loss.data.size_bytes) })}</p>
          <ul className={styles.lost}>
            {loss.data.lost.map((line, index) => (
              <li key={line}>
                <ServiceText english={line} phrases={loss.data.lost_phrases?.slice(index, index + 1)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {error && <Problem error={error} />}
    </Dialog>
  )
}
