import { use } from 'react'
import { Button } from '../../components/button'
import { useServiceText } from '../../components/service-text'
import { TextButton } from '../../components/text-button'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { PortIcon } from '../canvas/port-icon'
import { type Connection, incoming, type Node, outgoing } from '../core/document'
import { removeConnections } from '../core/edits'
import { converterOf, type PortView, portsOf } from '../core/ports'
import { OpenResultContext, useCheck, useEditor, useEditState, useNodeState } from '../state/context'
import { InferredSummary } from './inferred-summary'
import styles from './port-list.module.css'

/** Ports of a node with their connections; connect and disconnect without the canvas. */
export function PortLists({ node }: { readonly node: Node }) {
  const t = useText(text)
  const { catalog } = useEditor()
  const { document } = useEditState().history
  const { inputs, outputs } = portsOf(document, node, catalog)
  return (
    <div className={styles.lists}>
      {inputs.length > 0 && (
        <section>
          <h3>{t('inputs')}</h3>
          <ul>
            {inputs.map((port) => (
              <PortItem key={port.name} node={node.id} port={port} side="input" />
            ))}
          </ul>
        </section>
      )}
      {outputs.length > 0 && (
        <section>
          <h3>{t('outputs')}</h3>
          <ul>
            {outputs.map((port) => (
              <PortItem key={port.name} node={node.id} port={port} side="output" />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function PortItem({
  node,
  port,
  side,
}: {
  readonly node: string
  readonly port: PortView
  readonly side: 'input' | 'output'
}) {
  const t = useText(text)
  const { openConnectDialog } = useEditor()
  const textOf = useServiceText()
  const openResult = use(OpenResultContext)
  const { document } = useEditState().history
  const passed = useNodeState(node)?.outputs[port.name]
  const inferred = useCheck()?.values[node]?.[port.name]
  const wires = side === 'input' ? incoming(document, node, port.name) : outgoing(document, node, port.name)
  const missing = side === 'input' && wires.length === 0 && !port.optional
  return (
    <li className={styles.port}>
      <PortIcon type={port.type} />
      <div className={styles.words}>
        <span>
          {port.title}{' '}
          <span className={styles.soft}>
            {t(port.type === null ? 'type.unknown' : `type.${port.type}`)}
            {missing && ` · ${t('port.required')}`}
          </span>
        </span>
        {side === 'output' && passed && (
          <span>
            <TextButton
              aria-label={`${t('value.look.at', { port: port.title })}: ${textOf(passed.summary, passed.summary_phrases)}`}
              onPress={() => openResult?.(node, port.name)}
            >
              {textOf(passed.summary, passed.summary_phrases)}
            </TextButton>
          </span>
        )}
        {side === 'output' && <InferredSummary value={inferred} />}
        {wires.length === 0 && <span className={styles.soft}>{t('port.open')}</span>}
        {wires.map((wire) => (
          <WireItem key={wire.id} wire={wire} side={side} port={port.title} />
        ))}
      </div>
      {port.type !== null && (
        <Button
          kind="quiet"
          icon="edit"
          aria-haspopup="dialog"
          aria-label={t('port.connect', { port: port.title })}
          onPress={() => openConnectDialog({ from: { node, port: port.name, side } })}
        />
      )}
    </li>
  )
}

function WireItem({
  wire,
  side,
  port,
}: {
  readonly wire: Connection
  readonly side: 'input' | 'output'
  readonly port: string
}) {
  const t = useText(text)
  const { session, goTo } = useEditor()
  const node = side === 'input' ? wire.source : wire.target
  const other = side === 'input' ? `${wire.source}.${wire.source_port}` : `${wire.target}.${wire.target_port}`
  return (
    <>
      <span className={styles.wire}>
        <TextButton onPress={() => goTo(node)}>
          {t(side === 'input' ? 'port.from' : 'port.to', { other })}
        </TextButton>
        <Button
          kind="quiet"
          icon="close"
          aria-label={t('port.disconnect', { port, other })}
          onPress={() => session.perform(removeConnections(new Set([wire.id])))}
        />
      </span>
      {side === 'input' && <WireValue wire={wire} />}
    </>
  )
}

/** Details of a wire: its conversion, its value in the latest run, and its inferred value before a run. */
export function WireValue({ wire }: { readonly wire: Connection }) {
  const t = useText(text)
  const { catalog } = useEditor()
  const { document } = useEditState().history
  const textOf = useServiceText()
  const openResult = use(OpenResultContext)
  const passed = useNodeState(wire.source)?.outputs[wire.source_port]
  const inferred = useCheck()?.values[wire.source]?.[wire.source_port]
  const converted = converterOf(document, catalog, wire)
  return (
    <>
      {converted && <span className={styles.soft}>{t('wire.converted', { how: converted.how })}</span>}
      {passed && (
        <span>
          <TextButton onPress={() => openResult?.(wire.source, wire.source_port)}>
            {t('wire.passed', { what: textOf(passed.summary, passed.summary_phrases) })}
          </TextButton>
        </span>
      )}
      <InferredSummary value={inferred} />
    </>
  )
}
