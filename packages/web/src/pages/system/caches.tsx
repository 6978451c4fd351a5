import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { useFormatters } from '../../text/formatters'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import styles from './system.module.css'

type Which = 'prepared' | 'workflow'

/** Cached data, with buttons that free its disk space. */
export function Caches() {
  const prepared = useSuspenseQuery(routeQuery('getPreparedCache', {})).data
  const workflow = useSuspenseQuery(routeQuery('getCache', {})).data
  const images = prepared.stores.reduce((sum, store) => sum + store.images, 0)
  return (
    <div className={styles.caches}>
      <Cache which="prepared" size={prepared.size_bytes} count={images} limit={prepared.limit_bytes} />
      <Cache which="workflow" size={workflow.size_bytes} count={workflow.results} limit={null} />
    </div>
  )
}

function Cache({
  which,
  size,
  count,
  limit,
}: {
  readonly which: Which
  readonly size: number
  readonly count: number
  readonly limit: number | null
}) {
  const t = useText(text)
  const format = useFormatters()
  const [isConfirming, setConfirming] = useState(false)
  const clear = useClear(which)
  return (
    <section className={styles.cache}>
      <div>
        <h3>{t(`cache.${which}`)}</h3>
        <p className={styles.soft}>{t(`cache.${which}Text`)}</p>
        <p>{t('cache.size', { size: format.bytes(size), count })}</p>
        {limit !== null && <p className={styles.soft}>{t('cache.limit', { size: format.bytes(limit) })}</p>}
        <p role="status">{clear.data}</p>
      </div>
      <Button icon="delete" isDisabled={size === 0} onPress={() => setConfirming(true)}>
        {t('cache.clear')}
      </Button>
      <Dialog
        title={t(`cache.${which}.title`)}
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        action={
          <Button
            kind="danger"
            isDisabled={clear.isPending}
            onPress={() => clear.mutate(undefined, { onSuccess: () => setConfirming(false) })}
          >
            {t('cache.clear')}
          </Button>
        }
      >
        <p>{t(`cache.${which}.question`, { size: format.bytes(size) })}</p>
        {clear.isError && <Problem error={clear.error} />}
      </Dialog>
    </section>
  )
}

/** Clears one of the caches; the response contains the freed space. */
function useClear(which: Which) {
  const t = useText(text)
  const format = useFormatters()
  return useMutation({
    mutationFn: async () => {
      if (which === 'workflow') return t('cache.forgotten', { count: (await service.clearCache()).cleared })
      const { freed_bytes, kept } = await service.clearPreparedCache()
      return t('cache.freed', { size: format.bytes(freed_bytes), kept })
    },
    onSettled: () => invalidate('getPreparedCache', 'getCache'),
  })
}
