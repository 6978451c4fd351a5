import { useSuspenseQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import styles from './system.module.css'

/** Version of the service, and the machine on which it runs. */
export function Versions() {
  const t = useText(text)
  const { data } = useSuspenseQuery(routeQuery('getSystemInfo', {}))
  const facts: [string, string][] = [
    ['Medloom', data.medloom_version],
    ['Node', data.node_version],
    ['Python', data.python_version],
    ['PyTorch', data.pytorch_version],
    [t('versions.platform'), data.platform],
    [t('versions.processor'), `${data.cpu.count} × ${data.cpu.model}`],
    [t('versions.trainings'), t('versions.trainingsOn', data.trainings)],
    [t('versions.gpu'), data.gpu.devices.map(({ name }) => name).join(', ') || t('versions.noGpu')],
  ]
  return (
    <>
      {data.python_error !== null && <p role="alert">{data.python_error}</p>}
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
