import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { invalidate, routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { ServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import styles from './model-page.module.css'
import type { Model } from './use-evaluations'

/** Shows what a deletion would remove, as the service reports it, before anything is deleted. */
export function DeleteDialog({
  model: { model_id },
  onClose,
}: {
  readonly model: Model
  readonly onClose: () => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const navigate = useNavigate()
  const preview = useQuery(routeQuery('deleteModel', { model_id, dry_run: 'true' }))
  const remove = useMutation({
    mutationFn: () => service.deleteModel({ model_id }),
    onSuccess: async () => {
      await navigate({ to: '/models' })
      await invalidate('listModels', 'listJobs')
    },
  })
  const error = remove.error ?? preview.error
  return (
    <Dialog
      title={t('delete.title', { name: model_id })}
      isOpen
      onClose={onClose}
      action={
        <Button
          kind="danger"
          isDisabled={!preview.data}
          isPending={remove.isPending}
          onPress={() => remove.mutate()}
        >
          {t('delete')}
        </Button>
      }
    >
      {preview.isPending && <Skeleton height={8} />}
      {preview.data && (
        <>
          <p>
            {t('delete.lost', { count: preview.data.files, size: format.bytes(preview.data.size_bytes) })}
          </p>
          <ul className={styles.lost}>
            {preview.data.lost.map((line, index) => (
              <li key={line}>
                <ServiceText english={line} phrases={preview.data.lost_phrases?.slice(index, index + 1)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {error && <Problem error={error} />}
    </Dialog>
  )
}
