import { Handle, type NodeProps, Position } from '@xyflow/react'
import { memo, use } from 'react'
import { Icon } from '../../components/icon'
import { Progress } from '../../components/progress'
import { Status } from '../../components/status'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import type { PortView } from '../core/ports'
import { LatestStatusBadge, useSummary } from '../node-status'
import { useNodeState } from '../state/context'
import type { CardData, FlowNode } from './flow-nodes'
import styles from './node-card.module.css'
import { topOf } from './node-geometry'
import { PendingWireContext } from './pending-wire'
import { PortIcon } from './port-icon'

/** Card of a node: its type, its ports, and its status in the latest run. */
export const NodeCard = memo(function NodeCard({ id, data, selected }: NodeProps<FlowNode>) {
  const t = useText(text)
  const { node, title, ports } = data
  return (
    <div
      className={styles.card}
      data-selected={selected}
      data-unknown={title === null}
      data-mode={node.mode}
      data-color={node.color}
    >
      <header className={styles.head}>
        <strong>{title ?? t('unknown')}</strong>
        <span className={styles.id}>{title === null ? `${id} · ${node.type}` : id}</span>
        <Problems {...data} />
      </header>
      {ports.inputs.map((port, index) => (
        <Port
          key={port.name}
          node={id}
          port={port}
          side="input"
          top={topOf(index)}
          wide={!ports.outputs[index]}
        />
      ))}
      {ports.outputs.map((port, index) => (
        <Port
          key={port.name}
          node={id}
          port={port}
          side="output"
          top={topOf(index)}
          wide={!ports.inputs[index]}
        />
      ))}
      <Foot id={id} mode={node.mode} />
    </div>
  )
})

function Problems({ errors, warnings }: Pick<CardData, 'errors' | 'warnings'>) {
  const t = useText(text)
  if (errors + warnings === 0) return null
  return (
    <span className={styles.problems} data-tone={errors > 0 ? 'bad' : 'waiting'}>
      <Icon name={errors > 0 ? 'bad' : 'info'} />
      <span aria-hidden="true">{errors + warnings}</span>
      <span className="visually-hidden">{t('problems.count', { errors, warnings })}</span>
    </span>
  )
}

function Port({
  node,
  port,
  side,
  top,
  wide,
}: {
  readonly node: string
  readonly port: PortView
  readonly side: 'input' | 'output'
  readonly top: number
  /** The other side has no port. */
  readonly wide: boolean
}) {
  const pending = use(PendingWireContext)
  const isStart = pending?.from.node === node && pending.from.port === port.name && pending.from.side === side
  const incompatible =
    pending !== null &&
    !isStart &&
    !fits(pending.from.side !== side, () => pending.fit({ node, port: port.name, side }).fits)
  const input = side === 'input'
  return (
    <>
      <Handle
        id={port.name}
        type={input ? 'target' : 'source'}
        position={input ? Position.Left : Position.Right}
        className={styles.handle ?? ''}
        style={{ top }}
        data-unfit={incompatible}
      >
        <PortIcon type={port.type} />
      </Handle>
      <span
        className={styles.port}
        data-side={side}
        data-wide={wide}
        data-unfit={incompatible}
        style={{ top }}
        title={port.title}
      >
        {port.title}
      </span>
    </>
  )
}

const fits = (otherSide: boolean, judged: () => boolean): boolean => otherSide && judged()

function Foot({ id, mode }: { readonly id: string; readonly mode: CardData['node']['mode'] }) {
  const state = useNodeState(id)
  const summaryOf = useSummary()
  const summary = state && summaryOf(state)
  const t = useText(text)
  if (mode)
    return (
      <footer className={styles.foot}>
        <Status tone="neutral">{t(`mode.${mode}`)}</Status>
      </footer>
    )
  return (
    <footer className={styles.foot}>
      {state ? (
        <LatestStatusBadge id={id} status={state.status} />
      ) : (
        <span className={styles.idle}>{t('state.none')}</span>
      )}
      {state?.status === 'running' && (
        <span className={styles.progress}>
          <Progress label={t('state.running')} value={state.progress > 0 ? state.progress : null} />
        </span>
      )}
      {state && state.status !== 'running' && (
        <span className={styles.summary} title={summary ?? undefined}>
          {summary}
        </span>
      )}
    </footer>
  )
}
