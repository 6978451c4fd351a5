import { useState } from 'react'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { SearchField } from '../../components/field'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { PortMark } from '../canvas/port-mark'
import { type Candidate, candidates, endsOf, fittingTypes } from '../core/candidates'
import { nodeOf } from '../core/document'
import { addNode, connect } from '../core/edits'
import { apply } from '../core/operations'
import { fit, portsOf } from '../core/ports'
import { type Connecting, useEditor } from '../state/context'
import { useReason } from '../use-reason'
import styles from './connect-dialog.module.css'
import { freePlace } from './palette'

const MAX_SHOWN = 60

/** Connection options of a port: existing ports, nodes that can be added, and the reasons why others do not fit. */
export function ConnectDialog({ from, at, onClose }: Connecting & { readonly onClose: () => void }) {
  const t = useText(text)
  const { editing, catalog } = useEditor()
  const { document } = editing
  const [searched, setSearched] = useState('')
  const node = nodeOf(document, from.node)
  const all = candidates(document, catalog, from).filter((one) => matches(one, searched))
  const fitting = all.filter((one) => one.fit.fits)
  const unfit = all.filter((one) => !one.fit.fits)
  const ports = node && portsOf(document, node, catalog)[from.side === 'input' ? 'inputs' : 'outputs']
  const port = ports?.find(({ name }) => name === from.port)?.title ?? from.port
  return (
    <Dialog isOpen onClose={onClose} title={t('connect.title', { port, node: from.node })}>
      <SearchField label={t('connect.search')} value={searched} onChange={setSearched} />
      <section className={styles.part}>
        <h3>{t('connect.here')}</h3>
        {fitting.length === 0 && <p className={styles.soft}>{t('connect.none')}</p>}
        <ul>
          {fitting.slice(0, MAX_SHOWN).map((one) => (
            <Fitting key={keyOf(one)} candidate={one} onClose={onClose} />
          ))}
        </ul>
      </section>
      <NewNodes from={from} {...(at ? { at } : {})} searched={searched} onClose={onClose} />
      {unfit.length > 0 && <Unfit all={unfit} />}
    </Dialog>
  )
}

function Fitting({ candidate, onClose }: { readonly candidate: Candidate; readonly onClose: () => void }) {
  const t = useText(text)
  const { editing } = useEditor()
  const { place, view, ends, fit: judged } = candidate
  if (!judged.fits) return null
  const choose = () => {
    editing.perform(connect(editing.document, ends, judged.replaced))
    onClose()
  }
  return (
    <li>
      <Button kind="quiet" onPress={choose}>
        <span className={styles.choice}>
          <PortMark type={view.type} />
          {`${place.node} · ${view.title}`}
          {judged.replaced.length > 0 && <span className={styles.soft}>{t('connect.replaces')}</span>}
        </span>
      </Button>
      {judged.how && <p className={styles.how}>{t('wire.converted', { how: judged.how })}</p>}
    </li>
  )
}

function NewNodes({
  from,
  at,
  searched,
  onClose,
}: Connecting & { readonly searched: string; readonly onClose: () => void }) {
  const t = useText(text)
  const { editing, catalog, goTo } = useEditor()
  const types = fittingTypes(editing.document, catalog, from).filter(({ type }) =>
    `${type} ${catalog.get(type)?.title}`.toLowerCase().includes(searched.trim().toLowerCase()),
  )
  if (types.length === 0) return null
  const add = (type: string, port: string) => {
    const { document } = editing
    const place = at ?? freePlace(document.nodes, new Set([from.node]))
    const { edit, id } = addNode(document, type, place)
    const extended = apply(document, edit)
    const ends = endsOf(from, { node: id, port, side: from.side === 'output' ? 'input' : 'output' })
    const judged = fit(extended, catalog, ends)
    editing.perform([...edit, ...connect(extended, ends, judged.fits ? judged.replaced : [])])
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

function Unfit({ all }: { readonly all: readonly Candidate[] }) {
  const t = useText(text)
  const reasonOf = useReason()
  return (
    <details>
      <summary>{t('connect.unfit', { count: all.length })}</summary>
      <ul>
        {all.slice(0, MAX_SHOWN).map((one) => (
          <li key={keyOf(one)} className={styles.unfit}>
            <PortMark type={one.view.type} />
            {`${one.place.node} · ${one.view.title}: ${reasonOf(one.fit)}`}
          </li>
        ))}
      </ul>
    </details>
  )
}

const keyOf = ({ place }: Candidate): string => JSON.stringify([place.node, place.port])

function matches({ place, view }: Candidate, searched: string): boolean {
  return `${place.node} ${place.port} ${view.title}`.toLowerCase().includes(searched.trim().toLowerCase())
}
