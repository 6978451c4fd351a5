import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Panel } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { Skeleton } from '../../components/skeleton'
import { TextButton } from '../../components/text-button'
import { NONE, useFormatters } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import { AliasHistoryDialog } from './alias-history-dialog'
import { EvaluationLink, ModelLink } from './alias-links'
import { AliasLookup } from './alias-lookup'
import styles from './aliases.module.css'

/** All current aliases with their histories, and the model that an alias named on a day. */
export function AliasesPanel() {
  const t = useText(text)
  const format = useFormatters()
  const [open, setOpen] = useState<string | null>(null)
  const list = useQuery(routeQuery('listAliases', {}))
  const aliases = list.data?.aliases ?? []
  return (
    <div className={styles.aliases}>
      <Panel title={t('alias.title')}>
        {list.isPending && <Skeleton height={6} />}
        {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
        {list.data && aliases.length === 0 && <p>{t('alias.none')}</p>}
        {aliases.length > 0 && (
          <PlainTable
            label={t('alias.title')}
            head={[
              t('alias.name'),
              t('models.model'),
              t('evaluation.choose'),
              t('alias.setAt'),
              t('alias.setBy'),
            ]}
            rows={aliases.map((move) => ({
              key: move.alias,
              cells: [
                <span key="alias" className={styles.whole}>
                  <TextButton
                    aria-label={t('alias.history', { alias: move.alias })}
                    onPress={() => setOpen(move.alias)}
                  >
                    {move.alias}
                  </TextButton>
                </span>,
                <ModelLink key="model" move={move} />,
                <EvaluationLink key="evaluation" move={move} />,
                <span key="set" className={styles.whole}>
                  {format.moment(move.set_at)}
                </span>,
                move.set_by ?? NONE,
              ],
            }))}
          />
        )}
        {list.data && <AliasLookup known={aliases.map(({ alias }) => alias)} />}
        {open !== null && <AliasHistoryDialog alias={open} onClose={() => setOpen(null)} />}
      </Panel>
    </div>
  )
}
