import {
  type Edge,
  type FinalConnectionState,
  type Connection as FlowConnection,
  type Handle,
  type OnConnectStartParams,
  useReactFlow,
} from '@xyflow/react'
import { useCallback, useMemo, useState } from 'react'
import { endsOf, judge, type PortPlace } from '../core/candidates'
import { nodeOf } from '../core/document'
import { connect, type Ends } from '../core/edits'
import { type Fit, fit, portsOf } from '../core/ports'
import { useEditor } from '../state/context'
import { useReason } from '../use-reason'
import type { PendingWire } from './pending-wire'

/** Draws wires: incompatible ports are dimmed. A wire dropped on a node connects to a fitting port; elsewhere it offers new nodes. */
export function useWiring() {
  const { editing, catalog, askConnect } = useEditor()
  const flow = useReactFlow()
  const reasonOf = useReason()
  const [pending, setPending] = useState<PendingWire | null>(null)
  const [reason, setReason] = useState('')
  const make = useCallback(
    (ends: Ends) => {
      const judged = fit(editing.document, catalog, ends)
      if (judged.fits) editing.perform(connect(editing.document, ends, judged.replaced))
      setReason(judged.fits ? '' : reasonOf(judged))
    },
    [editing, catalog, reasonOf],
  )
  const onStart = useCallback(
    (_: unknown, { nodeId, handleId, handleType }: OnConnectStartParams) => {
      if (nodeId === null || handleId === null) return
      const from: PortPlace = {
        node: nodeId,
        port: handleId,
        side: handleType === 'source' ? 'output' : 'input',
      }
      setPending({ from, fit: remembered(judge(editing.document, catalog, from)) })
    },
    [editing, catalog],
  )
  const onEnd = useCallback(
    (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
      setPending(null)
      if (!pending || state.isValid) return
      const { clientX, clientY } =
        'changedTouches' in event ? (event.changedTouches[0] ?? { clientX: 0, clientY: 0 }) : event
      const under = document.elementFromPoint(clientX, clientY)?.closest('.react-flow__node')
      const id = under?.getAttribute('data-id')
      if (state.toHandle) return setReason(reasonOver(pending, state.toHandle, reasonOf))
      if (!under)
        return askConnect({ from: pending.from, at: flow.screenToFlowPosition({ x: clientX, y: clientY }) })
      const node = id ? nodeOf(editing.document, id) : undefined
      if (!node || node.id === pending.from.node) return
      const side = pending.from.side === 'output' ? 'input' : 'output'
      const ports = portsOf(editing.document, node, catalog)[side === 'input' ? 'inputs' : 'outputs']
      const places = ports.map(({ name }): PortPlace => ({ node: node.id, port: name, side }))
      const best = places.find((place) => pending.fit(place).fits) ?? places[0]
      if (best) make(endsOf(pending.from, best))
    },
    [pending, flow, askConnect, editing, catalog, make, reasonOf],
  )
  const isValid = useCallback(
    (wire: FlowConnection | Edge) =>
      // React Flow asks at the first movement, before the page knows that a wire is drawn.
      (pending ? pending.fit(targetOf(pending.from, wire)) : fit(editing.document, catalog, endsFrom(wire)))
        .fits,
    [pending, editing, catalog],
  )
  return useMemo(
    () => ({
      pending,
      reason,
      onStart,
      onEnd,
      isValid,
      onConnect: (wire: FlowConnection) => make(endsFrom(wire)),
    }),
    [pending, reason, onStart, onEnd, isValid, make],
  )
}

/** Reason why a wire does not fit the port under the pointer; empty if it fits. */
export function reasonOver(
  pending: PendingWire,
  toHandle: Pick<Handle, 'id' | 'type' | 'nodeId'>,
  say: (fit: Fit) => string,
): string {
  if (!toHandle.id) return ''
  const side = toHandle.type === 'source' ? 'output' : 'input'
  return side === pending.from.side
    ? ''
    : say(pending.fit({ node: toHandle.nodeId, port: toHandle.id, side }))
}

function endsFrom({ source, sourceHandle, target, targetHandle }: FlowConnection | Edge): Ends {
  return { source, source_port: sourceHandle ?? '', target, target_port: targetHandle ?? '' }
}

function targetOf(from: PortPlace, wire: FlowConnection | Edge): PortPlace {
  const { source, source_port, target, target_port } = endsFrom(wire)
  return from.side === 'output'
    ? { node: target, port: target_port, side: 'input' }
    : { node: source, port: source_port, side: 'output' }
}

/** Checks each port once while the wire is drawn. */
function remembered(judged: (to: PortPlace) => Fit): (to: PortPlace) => Fit {
  const known = new Map<string, Fit>()
  return (to) => {
    const key = JSON.stringify([to.node, to.port, to.side])
    const answer = known.get(key) ?? judged(to)
    known.set(key, answer)
    return answer
  }
}
