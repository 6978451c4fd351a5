import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { usePages } from '../../app/pages'
import { invalidate, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { PlainTable } from '../../components/plain-table'
import { Problem } from '../../components/problem'
import { Skeleton } from '../../components/skeleton'
import { NONE, useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { EvaluationLink, ModelLink } from './alias-links'
import styles from './aliases.module.css'

const PAGE = 50

/** History of an alias, newest first. From here a current alias can be removed. */
export function AliasHistoryDialog({
  alias,
  onClose,
}: {
  readonly alias: string
  readonly onClose: () => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const [isRemoving, setRemoving] = useState(false)
  const history = usePages('listAliasMoves', 'moves', { alias, page_size: PAGE })
  if (isRemoving) return <RemoveAliasDialog alias={alias} onClose={onClose} />
  return (
    <Dialog title={t('alias.history', { alias })} size="wide" isOpen onClose={onClose}>
      {history.isPending && <Skeleton height={8} />}
      {history.isError && <Problem error={history.error} />}
      {history.first && (
        <PlainTable
          label={t('alias.history', { alias })}
          head={[
            t('alias.setAt'),
            t('models.model'),
            t('evaluation.choose'),
            t('alias.setBy'),
            t('alias.note'),
          ]}
          rows={history.items.map((move) => ({
            key: String(move.number),
            cells: [
              <span key="set" className={styles.whole}>
                {format.moment(move.set_at)}
              </span>,
              <ModelLink key="model" move={move} onFollow={onClose} />,
              <EvaluationLink key="evaluation" move={move} onFollow={onClose} />,
              move.set_by ?? NONE,
              <span key="note" className={styles.note}>
                <bdi>{move.note ?? NONE}</bdi>
              </span>,
            ],
          }))}
        />
      )}
      {history.hasNextPage && <Button onPress={history.more}>{t('alias.more')}</Button>}
      <p>{t('alias.kept')}</p>
      {history.items[0]?.model_id && (
        <div>
          <Button kind="danger" icon="delete" onPress={() => setRemoving(true)}>
            {t('alias.remove')}
          </Button>
        </div>
      )}
    </Dialog>
  )
}

function RemoveAliasDialog({ alias, onClose }: { readonly alias: string; readonly onClose: () => void }) {
  const t = useText(text)
  const remove = useMutation({
    mutationFn: () => service.removeAlias({ alias }),
    onSuccess: async () => {
      onClose()
      await invalidate('listAliases', 'listAliasMoves', 'getAlias', 'listModels', 'getModel')
    },
  })
  return (
    <Dialog
      title={t('alias.removeTitle', { alias })}
      isOpen
      onClose={onClose}
      action={
        <Button kind="danger" isPending={remove.isPending} onPress={() => remove.mutate()}>
          {t('alias.remove')}
        </Button>
      }
    >
      <p>{t('alias.removeKept')}</p>
      {remove.isError && <Problem error={remove.error} />}
    </Dialog>
  )
}
