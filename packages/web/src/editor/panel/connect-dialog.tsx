import { useState } from 'react'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { SearchField } from '../../components/field'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { PortIcon } from '../canvas/port-icon'
import { type Candidate, candidates, endsOf, fittingTypes } from '../core/connection-candidates'
import { nodeOf } from '../core/document'
import { addNode, connect } from '../core/edits'
import { apply } from '../core/operations'
import { checkCompatibility, portsOf } from '../core/ports'
import { type ConnectRequest, useEditor } from '../state/context'
import { useIncompatibilityText } from '../use-incompatibility-text'
import styles from './connect-dialog.module.css'
import { freePosition } from './palette'

const MAX_SHOWN = 60

/** Connection options of a port: existing ports, nodes that can be added, and the reasons why others do not fit. */
export function ConnectDialog({
  from,
  position,
  onClose,
}: ConnectRequest & { readonly onClose: () => void }) {
  const t = useText(text)
  const { session, catalog } = useEditor()
  const { document } = session
  const [searchTerm, setSearchTerm] = useState('')
  const node = nodeOf(document, from.node)
  const all = candidates(document, catalog, from).filter((one) => matches(one, searchTerm))
  const compatible = all.filter((one) => one.fit.fits)
  const incompatible = all.filter((one) => !one.fit.fits)
  const ports = node && portsOf(document, node, catalog)[from.side === 'input' ? 'inputs' : 'outputs']
  const port = ports?.find(({ name }) => name === from.port)?.title ?? from.port
  return (
    <Dialog isOpen onClose={onClose} title={t('connect.title', { port, node: from.node })}>
      <SearchField label={t('connect.search')} value={searchTerm} onChange={setSearchTerm} />
      <section className={styles.part}>
        <h3>{t('connect.here')}</h3>
        {compatible.length === 0 && <p className={styles.soft}>{t('connect.none')}</p>}
        <ul>
          {compatible.slice(0, MAX_SHOWN).map((one) => (
            <CompatiblePort key={keyOf(one)} candidate={one} onClose={onClose} />
          ))}
        </ul>
      </section>
      <NewNodes from={from} {...(position ? { position } : {})} searchTerm={searchTerm} onClose={onClose} />
      {incompatible.length > 0 && <IncompatiblePorts all={incompatible} />}
    </Dialog>
  )
}

function CompatiblePort({
  candidate,
  onClose,
}: {
  readonly candidate: Candidate
  readonly onClose: () => void
}) {
  const t = useText(text)
  const { session } = useEditor()
  const { end, view, ends, fit: compatibility } = candidate
  if (!compatibility.fits) return null
  const choose = () => {
    session.perform(connect(session.document, ends, compatibility.replaced))
    onClose()
  }
  return (
    <li>
      <Button kind="quiet" onPress={choose}>
        <span className={styles.choice}>
          <PortIcon type={view.type} />
          {`${end.node} · ${view.title}`}
          {compatibility.replaced.length > 0 && <span className={styles.soft}>{t('connect.replaces')}</span>}
        </span>
      </Button>
      {compatibility.conversion && (
        <p className={styles.how}>{t('wire.converted', { how: compatibility.conversion })}</p>
      )}
    </li>
  )
}

function NewNodes({
  from,
  position,
  searchTerm,
  onClose,
}: ConnectRequest & { readonly searchTerm: string; readonly onClose: () => void }) {
  const t = useText(text)
  const { session, catalog, goTo } = useEditor()
  const types = fittingTypes(session.document, catalog, from).filter(({ type }) =>
    `${type} ${catalog.get(type)?.title}`.toLowerCase().includes(searchTerm.trim().toLowerCase()),
  )
  if (types.length === 0) return null
  const add = (type: string, port: string) => {
    const { document } = session
    const free = position ?? freePosition(document.nodes, new Set([from.node]))
    const { edit, id } = addNode(document, type, free)
    const extended = apply(document, edit)
    const ends = endsOf(from, { node: id, port, side: from.side === 'output' ? 'input' : 'output' })
    const compatibility = checkCompatibility(extended, catalog, ends)
    session.perform([...edit, ...connect(extended, ends, compatibility.fits ? compatibility.replaced : [])])
    onClose()
    goTo(id)
  }
  return (
    <section className={styles.part}>
      <h3>{t('connect.new')}</h3>
      <ul className={styles.new}>
        {types.map(({ type, port }) => (
          <li key={type}>
            <Button icon="workflow" onPress={() => add(type, port)}>
              {catalog.get(type)?.title}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function IncompatiblePorts({ all }: { readonly all: readonly Candidate[] }) {
  const t = useText(text)
  const reasonOf = useIncompatibilityText()
  return (
    <details>
      <summary>{t('connect.unfit', { count: all.length })}</summary>
      <ul>
        {all.slice(0, MAX_SHOWN).map((one) => (
          <li key={keyOf(one)} className={styles.unfit}>
            <PortIcon type={one.view.type} />
            {`${one.end.node} · ${one.view.title}: ${reasonOf(one.fit)}`}
          </li>
        ))}
      </ul>
    </details>
  )
}

const keyOf = ({ end }: Candidate): string => JSON.stringify([end.node, end.port])

function matches({ end, view }: Candidate, searchTerm: string): boolean {
  return `${end.node} ${end.port} ${view.title}`.toLowerCase().includes(searchTerm.trim().toLowerCase())
}
