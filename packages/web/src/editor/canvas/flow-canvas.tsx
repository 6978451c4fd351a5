import '@xyflow/react/dist/base.css'
import type { WorkflowIssue } from '@medloom/contracts'
import {
  applyNodeChanges,
  Background,
  type Edge,
  type EdgeChange,
  type Connection as FlowConnection,
  MiniMap,
  type NodeChange,
  ReactFlow,
  useConnection,
} from '@xyflow/react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { nudge } from '../core/align'
import { idsOf } from '../core/document'
import { moveNodes, type Point } from '../core/edits'
import { useCheck, useEditor, useEditState } from '../state/context'
import { useIncompatibilityText } from '../use-incompatibility-text'
import { Annotations } from './annotations'
import styles from './flow-canvas.module.css'
import { type FlowNode, flowEdges, flowNodes } from './flow-nodes'
import { NodeCard } from './node-card'
import { Overview } from './overview'
import { type PendingWire, PendingWireContext } from './pending-wire'
import { initialView, useCoarse, useFit, useOverview } from './use-overview'
import { reasonAt, useWiring } from './use-wiring'
import { Wire } from './wire'

const NODE_TYPES = { card: NodeCard }
const EDGE_TYPES = { wire: Wire }
/** Fewer nodes need no minimap, which would only cover them. */
const MIN_MAPPED = 20
/** For more nodes, a minimap that is painted at every step costs too much. */
const MAX_MAPPED = 500
const MAP = { width: 132, height: 88 }
const NO_NODES: FlowNode[] = []
const NO_EDGES: Edge[] = []
const NO_ISSUES: readonly WorkflowIssue[] = []

/** The workflow as a graph: nodes are moved and connected by mouse. The outline offers the same actions. */
export function FlowCanvas() {
  const t = useText(text)
  const { session, catalog, goTo } = useEditor()
  const { document } = useEditState().history
  const { nodes, onNodesChange } = useFlowNodes()
  const { edges, onEdgesChange } = useFlowEdges()
  const wiring = useWiring()
  const { isOverview, overlapping } = useOverview(document)
  const coarse = useCoarse(nodes.length)
  const fit = useFit(catalog)
  const choose = useCallback(
    (ids: readonly string[], more: boolean) => {
      const chosen = new Set(more ? session.state().nodes : [])
      for (const id of ids) if (!chosen.delete(id)) chosen.add(id)
      session.select(chosen)
    },
    [session],
  )
  const actions = useMemo(
    () => ({
      onDrop: (by: Point) => session.perform(nudge(session.document, session.state().nodes, by)),
      onOpen: goTo,
    }),
    [session, goTo],
  )
  return (
    <section
      className={styles.canvas}
      aria-label={t('canvas')}
      data-part="canvas"
      data-coarse={coarse}
      tabIndex={-1}
    >
      <PendingWireContext value={wiring.pending}>
        <ReactFlow
          nodes={isOverview ? NO_NODES : nodes}
          edges={isOverview ? NO_EDGES : edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onConnectStart={wiring.onStart}
          onConnect={wiring.onConnect as (connection: FlowConnection) => void}
          onConnectEnd={wiring.onEnd}
          isValidConnection={wiring.isValid}
          ariaLabelConfig={{
            'node.a11yDescription.default': t('keys.choose'),
            'node.a11yDescription.keyboardDisabled': t('keys.choose'),
            'edge.a11yDescription.default': t('keys.choose'),
          }}
          onlyRenderVisibleElements
          deleteKeyCode={null}
          edgesFocusable={false}
          maxZoom={2}
          {...initialView(nodes.length)}
          onInit={() => fit(document)}
        >
          {!isOverview && <Background gap={24} />}
          {!isOverview && <Annotations document={document} catalog={catalog} session={session} />}
          {isOverview && <Overview {...{ nodes, edges, actions, overlapping }} onSelect={choose} />}
          {!isOverview && nodes.length > MIN_MAPPED && nodes.length <= MAX_MAPPED && (
            <MiniMap<FlowNode> ariaLabel={null} pannable position="bottom-left" style={MAP} />
          )}
        </ReactFlow>
      </PendingWireContext>
      {document.nodes.length === 0 && (
        <div className={styles.empty}>
          <p>{t('canvas.empty')}</p>
          <p>{t('canvas.empty.help')}</p>
        </div>
      )}
      <Reason pending={wiring.pending} dropped={wiring.reason} />
    </section>
  )
}

/** Reason why a wire does not fit the port under the pointer, or the port on which it was dropped. */
function Reason({ pending, dropped }: { readonly pending: PendingWire | null; readonly dropped: string }) {
  const reasonOf = useIncompatibilityText()
  const over = useConnection(({ toHandle }) => toHandle)
  const pendingReason = pending && over?.id ? reasonAt(pending, over, reasonOf) : ''
  return (
    <p role="status" className={styles.status}>
      {pending ? pendingReason : dropped}
    </p>
  )
}

/** The position of a dragged node is local to the canvas; it becomes an edit when the node is dropped. */
function useFlowNodes() {
  const { session, catalog } = useEditor()
  const { history, nodes: selected } = useEditState()
  const issues = useCheck()?.issues ?? NO_ISSUES
  const { document } = history
  const [nodes, setNodes] = useState(() => flowNodes(document, catalog, issues, selected, new Map()))
  useEffect(() => {
    setNodes((before) =>
      flowNodes(document, catalog, issues, selected, new Map(before.map((node) => [node.id, node]))),
    )
  }, [document, catalog, issues, selected])
  const onNodesChange = useCallback(
    (changes: NodeChange<FlowNode>[]) => {
      const positions = new Map<string, { x: number; y: number }>()
      const chosen = new Set(session.state().nodes)
      for (const change of changes) {
        if (change.type === 'position' && change.position && change.dragging === false)
          positions.set(change.id, change.position)
        if (change.type === 'select') chosen[change.selected ? 'add' : 'delete'](change.id)
      }
      const moving = changes.filter(({ type }) => type === 'position')
      if (moving.length > 0) setNodes((before) => applyNodeChanges(moving, before))
      if (positions.size > 0)
        session.perform(moveNodes(session.document, positions), `move ${[...positions.keys()].join(' ')}`)
      if (changes.some(({ type }) => type === 'select')) session.select(chosen, session.state().wires)
    },
    [session],
  )
  return { nodes, onNodesChange }
}

function useFlowEdges() {
  const { session, catalog } = useEditor()
  const { history, wires, nodes } = useEditState()
  const { document } = history
  const edges = useMemo(() => {
    const known = idsOf(document.nodes)
    return flowEdges(document, catalog, wires, nodes).filter(
      ({ source, target }) => known.has(source) && known.has(target),
    )
  }, [document, catalog, wires, nodes])
  const onEdgesChange = useCallback(
    (changes: EdgeChange[]) => {
      const chosen = new Set(session.state().wires)
      for (const change of changes)
        if (change.type === 'select') chosen[change.selected ? 'add' : 'delete'](change.id)
      session.select(session.state().nodes, chosen)
    },
    [session],
  )
  return { edges, onEdgesChange }
}
