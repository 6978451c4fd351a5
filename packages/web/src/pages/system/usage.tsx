import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRefresh } from '../../app/live'
import { routeQuery } from '../../app/service'
import { Icon } from '../../components/icon'
import { Progress } from '../../components/progress'
import { ErrorText, Remedy } from '../../components/service-text'
import { useFormatters } from '../../text/formatters'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import styles from './system.module.css'

/** Latest resource usage, which the service reports every five seconds. */
function useUsage() {
  const { data } = useSuspenseQuery({ ...routeQuery('getServiceState', {}), refetchInterval: useRefresh() })
  return data.usage
}

/** Current resource usage of the machine, and whether trainings are started. */
export function Usage() {
  const t = useText(text)
  const format = useFormatters()
  const { slots, queue, cpu, memory, disk, gpus } = useUsage()
  const bytes = (size: { readonly total_bytes: number; readonly free_bytes: number }) => ({
    share: 1 - size.free_bytes / size.total_bytes,
    words: t('usage.usedOf', {
      used: format.bytes(size.total_bytes - size.free_bytes),
      total: format.bytes(size.total_bytes),
    }),
  })
  return (
    <>
      {queue.pause && <Pause pause={queue.pause} />}
      <dl className={styles.meters}>
        <Meter
          name={t('usage.slots')}
          share={slots.total === null ? null : slots.used / Math.max(1, slots.total)}
          words={
            slots.total === null
              ? t('usage.unknown')
              : t('usage.slotsOf', { used: slots.used, total: slots.total })
          }
        >
          <Link to="/runs" search={{ status: 'started' }}>
            {t('usage.queue')}: {format.count(queue.waiting)}
          </Link>
        </Meter>
        <Meter
          name={t('usage.processor')}
          share={cpu.percent === null ? null : cpu.percent / 100}
          words={
            cpu.percent === null
              ? t('usage.unknown')
              : `${format.percent(cpu.percent / 100)} ${t('usage.cores', { count: cpu.count })}`
          }
        />
        <Meter name={t('usage.memory')} {...bytes(memory)} />
        {disk && <Meter name={t('usage.disk')} {...bytes(disk)} />}
        {gpus.map(({ id, name, memory_total_bytes, memory_used_bytes }) => (
          <Meter
            key={id}
            name={name}
            {...bytes({
              total_bytes: memory_total_bytes,
              free_bytes: memory_total_bytes - memory_used_bytes,
            })}
          />
        ))}
      </dl>
    </>
  )
}

/** Number of stored items of each kind, with links to their lists. */
export function StoredItems() {
  const t = useText(text)
  const format = useFormatters()
  const { counts } = useUsage()
  const sum = (byStatus: Readonly<Record<string, number>>) =>
    format.count(Object.values(byStatus).reduce((all, count) => all + count, 0))
  return (
    <dl className={styles.facts}>
      <div>
        <dt>
          <Link to="/runs" search={{ archived: 'all' }}>
            {t('kept.jobs')}
          </Link>
        </dt>
        <dd>{sum(counts.jobs)}</dd>
      </div>
      <div>
        <dt>
          <Link to="/studies">{t('kept.studies')}</Link>
        </dt>
        <dd>{sum(counts.studies)}</dd>
      </div>
      <div>
        <dt>{t('kept.models')}</dt>
        <dd>{format.count(counts.models)}</dd>
      </div>
      <div>
        <dt>{t('kept.datasets')}</dt>
        <dd>{format.count(counts.datasets)}</dd>
      </div>
    </dl>
  )
}

function Meter({
  name,
  share,
  words,
  children,
}: {
  readonly name: string
  readonly share: number | null
  readonly words: string
  readonly children?: ReactNode
}) {
  return (
    <div className={styles.meter}>
      <dt>{name}</dt>
      <dd>
        <span>{words}</span>
        {share !== null && <Progress label={name} value={share} />}
        {children}
      </dd>
    </div>
  )
}

function Pause({ pause }: { readonly pause: NonNullable<ReturnType<typeof useUsage>['queue']['pause']> }) {
  const t = useText(text)
  const format = useFormatters()
  return (
    <div role="alert" className={styles.pause}>
      <strong>
        <Icon name="bad" /> {t('usage.paused')}
      </strong>
      <p>
        <ErrorText code={pause.code} english={pause.message} phrases={pause.message_phrases} />
      </p>
      <p>
        <Remedy code={pause.code} english={pause.remedy} phrases={pause.remedy_phrases} />
      </p>
      <p className={styles.soft}>
        {pause.code} · {t('usage.retry', { time: format.moment(pause.retry_at) })}
      </p>
    </div>
  )
}
