import {
  type Edge,
  type FinalConnectionState,
  type Connection as FlowConnection,
  type Handle,
  type OnConnectStartParams,
  useReactFlow,
} from '@xyflow/react'
import { useCallback, useMemo, useState } from 'react'
import { compatibilityWith, endsOf, type PortRef } from '../core/connection-candidates'
import { nodeOf } from '../core/document'
import { connect, type WireEnds } from '../core/edits'
import { type Compatibility, checkCompatibility, type Ports, portsOf } from '../core/ports'
import { useEditor } from '../state/context'
import { useIncompatibilityText } from '../use-incompatibility-text'
import type { PendingWire } from './pending-wire'

/** Draws wires: incompatible ports are dimmed. A wire dropped on a node connects to a fitting port; elsewhere it offers new nodes. */
export function useWiring() {
  const { session, catalog, openConnectDialog } = useEditor()
  const flow = useReactFlow()
  const reasonOf = useIncompatibilityText()
  const [pending, setPending] = useState<PendingWire | null>(null)
  const [reason, setReason] = useState('')
  const connectPorts = useCallback(
    (ends: WireEnds) => {
      const compatibility = checkCompatibility(session.document, catalog, ends)
      if (compatibility.fits) session.perform(connect(session.document, ends, compatibility.replaced))
      setReason(compatibility.fits ? '' : reasonOf(compatibility))
    },
    [session, catalog, reasonOf],
  )
  const onStart = useCallback(
    (_: unknown, { nodeId, handleId, handleType }: OnConnectStartParams) => {
      if (nodeId === null || handleId === null) return
      const from: PortRef = {
        node: nodeId,
        port: handleId,
        side: handleType === 'source' ? 'output' : 'input',
      }
      setPending({ from, fit: memoize(compatibilityWith(session.document, catalog, from)) })
    },
    [session, catalog],
  )
  const onEnd = useCallback(
    (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
      setPending(null)
      if (!pending || state.isValid) return
      const { clientX, clientY } =
        'changedTouches' in event ? (event.changedTouches[0] ?? { clientX: 0, clientY: 0 }) : event
      const under = document.elementFromPoint(clientX, clientY)?.closest('.react-flow__node')
      const id = under?.getAttribute('data-id')
      if (state.toHandle) return setReason(reasonAt(pending, state.toHandle, reasonOf))
      if (!under)
        return openConnectDialog({
          from: pending.from,
          position: flow.screenToFlowPosition({ x: clientX, y: clientY }),
        })
      const node = id ? nodeOf(session.document, id) : undefined
      if (!node || node.id === pending.from.node) return
      const target = portForWire(pending, node.id, portsOf(session.document, node, catalog))
      if (target) connectPorts(endsOf(pending.from, target))
    },
    [pending, flow, openConnectDialog, session, catalog, connectPorts, reasonOf],
  )
  const isValid = useCallback(
    (wire: FlowConnection | Edge) =>
      // React Flow asks at the first movement, before the page knows that a wire is drawn.
      (pending
        ? pending.fit(targetOf(pending.from, wire))
        : checkCompatibility(session.document, catalog, endsFrom(wire))
      ).fits,
    [pending, session, catalog],
  )
  return useMemo(
    () => ({
      pending,
      reason,
      onStart,
      onEnd,
      isValid,
      onConnect: (wire: FlowConnection) => connectPorts(endsFrom(wire)),
    }),
    [pending, reason, onStart, onEnd, isValid, connectPorts],
  )
}

/** Port of a node for a wire that was dropped on it: the first compatible one, otherwise the first one, which explains the reason. */
function portForWire({ from, fit }: PendingWire, node: string, ports: Ports): PortRef | undefined {
  const side = from.side === 'output' ? 'input' : 'output'
  const candidates = ports[side === 'input' ? 'inputs' : 'outputs'].map(
    ({ name }): PortRef => ({ node, port: name, side }),
  )
  return candidates.find((candidate) => fit(candidate).fits) ?? candidates[0]
}

/** Reason why a wire does not fit the port under the pointer; empty if it fits. */
export function reasonAt(
  pending: PendingWire,
  toHandle: Pick<Handle, 'id' | 'type' | 'nodeId'>,
  reasonOf: (compatibility: Compatibility) => string,
): string {
  if (!toHandle.id) return ''
  const side = toHandle.type === 'source' ? 'output' : 'input'
  return side === pending.from.side
    ? ''
    : reasonOf(pending.fit({ node: toHandle.nodeId, port: toHandle.id, side }))
}

function endsFrom({ source, sourceHandle, target, targetHandle }: FlowConnection | Edge): WireEnds {
  return { source, source_port: sourceHandle ?? '', target, target_port: targetHandle ?? '' }
}

function targetOf(from: PortRef, wire: FlowConnection | Edge): PortRef {
  const { source, source_port, target, target_port } = endsFrom(wire)
  return from.side === 'output'
    ? { node: target, port: target_port, side: 'input' }
    : { node: source, port: source_port, side: 'output' }
}

/** Checks each port once while the wire is drawn. */
function memoize(check: (to: PortRef) => Compatibility): (to: PortRef) => Compatibility {
  const known = new Map<string, Compatibility>()
  return (to) => {
    const key = JSON.stringify([to.node, to.port, to.side])
    const result = known.get(key) ?? check(to)
    known.set(key, result)
    return result
  }
}
