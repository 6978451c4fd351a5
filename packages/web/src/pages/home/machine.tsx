import { useSuspenseQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { MACHINE_POLL_MILLISECONDS } from '../../durations'
import { home } from '../../text/home'
import { useText } from '../../text/use-text'
import styles from './home-page.module.css'

/** Hardware of the machine and its free resources. */
export function Machine() {
  const t = useText(home)
  const { data } = useSuspenseQuery({
    ...routeQuery('getSystemInfo', {}),
    refetchInterval: MACHINE_POLL_MILLISECONDS,
  })
  const { gpu, cpu, memory, disk } = data
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t('machine.gpu')}</dt>
        <dd>
          {gpu.devices.length === 0
            ? t('machine.gpu.none')
            : gpu.devices.map(({ id, name, memory_used, memory_total }) => (
                <span key={id}>
                  {name} ({memory_used} / {memory_total})
                </span>
              ))}
        </dd>
      </div>
      <div>
        <dt>{t('machine.processor')}</dt>
        <dd>{t('machine.cores', { count: cpu.count, model: cpu.model })}</dd>
      </div>
      <div>
        <dt>{t('machine.memory')}</dt>
        <dd>{t('machine.free', memory)}</dd>
      </div>
      <div>
        <dt>{t('machine.disk')}</dt>
        <dd>{t('machine.free', disk)}</dd>
      </div>
    </dl>
  )
}
