import type { NodeState } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { lazy } from 'react'
import { Boundary } from '../../components/boundary'
import { Button } from '../../components/button'
import { ErrorText, ServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { WarningText } from '../../components/warning-text'
import { editor as text } from '../../text/editor'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import { hasResult, NodeStatusBadge } from '../node-status'
import { useOutdated } from '../state/context'
import { WaitReason } from '../timeline'
import styles from './panels.module.css'

// The chunk includes the charts, so it is loaded when a value is opened.
const PortValue = lazy(async () => ({ default: (await import('../values/port-value')).PortValue }))

/** Result of a node in a run: its status, its messages, and every output. */
export function Result({
  workflowId,
  node,
  state,
  port,
  onPort,
  runId,
}: {
  readonly workflowId: string
  readonly node: string
  readonly state: NodeState | undefined
  /** Selected output; absent: the first. */
  readonly port: string | undefined
  readonly onPort: (port: string) => void
  /** Absent: the latest result is shown. */
  readonly runId?: string
}) {
  const t = useText(text)
  const format = useFormatters()
  const outdated = useOutdated(node)
  if (!state) return <p className={styles.soft}>{t('result.none')}</p>
  const outputs = Object.entries(state.outputs)
  const open = outputs.find(([name]) => name === port)?.[0] ?? outputs[0]?.[0]
  return (
    <div className={styles.stack}>
      <span className={styles.line}>
        <NodeStatusBadge status={state.status} />
        {state.duration !== null && t('result.took', { time: format.duration(state.duration) })}
        <WaitReason state={state} />
      </span>
      {outdated && hasResult(state.status) && <p className={styles.warning}>{t('result.outdated')}</p>}
      <Activity state={state} />
      <Failure state={state} />
      {state.job_id && (
        <Link to="/runs/$jobId" params={{ jobId: state.job_id }}>
          {t('result.job')}
        </Link>
      )}
      {state.warnings?.map(({ code, message, message_phrases: phrases }) => (
        <p key={`${code} ${message}`} className={styles.warning}>
          <WarningText {...{ code, message, phrases }} />
        </p>
      ))}
      {outputs.map(([name, output]) => (
        <section key={name} className={styles.item}>
          <h3>{name}</h3>
          <p>
            <ServiceText english={output.summary} phrases={output.summary_phrases} />
          </p>
          {output.files?.map((file) => (
            <code key={file} className={styles.file}>
              {file}
            </code>
          ))}
          {name === open ? (
            <Boundary loading={<Skeleton height={8} />}>
              <PortValue
                key={`${node} ${name}`}
                {...{ workflowId, node, runId, port: name, digest: output.digest }}
              />
            </Boundary>
          ) : (
            <div>
              <Button aria-label={t('value.look.at', { port: name })} onPress={() => onPort(name)}>
                {t('value.look')}
              </Button>
            </div>
          )}
        </section>
      ))}
    </div>
  )
}

/** Phase of the node, or the reason why it has no result. */
function Activity({
  state: { message, message_phrases, reason, reason_phrases },
}: {
  readonly state: NodeState
}) {
  const english = message ?? reason
  if (!english) return null
  return (
    <p className={styles.soft}>
      <ServiceText english={english} phrases={message === null ? reason_phrases : message_phrases} />
    </p>
  )
}

function Failure({ state: { error } }: { readonly state: NodeState }) {
  const t = useText(text)
  if (!error) return null
  return (
    <div role="alert" className={styles.failure}>
      <strong>{t('result.error')}</strong>
      <p>
        <ErrorText code={error.type} english={error.message} phrases={error.message_phrases} />
      </p>
      <p>
        <code>{error.type}</code>
      </p>
      {error.trace && (
        <details>
          <summary>{t('result.trace')}</summary>
          <pre className={styles.code}>{error.trace}</pre>
        </details>
      )}
    </div>
  )
}
