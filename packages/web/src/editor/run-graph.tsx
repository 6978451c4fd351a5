import '@xyflow/react/dist/base.css'
import { Background, type Edge, type NodeChange, ReactFlow, ReactFlowProvider } from '@xyflow/react'
import { useMemo } from 'react'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import { Annotations } from './canvas/annotations'
import styles from './canvas/flow-canvas.module.css'
import { type FlowNode, flowEdges, flowNodes } from './canvas/flow-nodes'
import { NodeCard } from './canvas/node-card'
import { Overview } from './canvas/overview'
import { initialView, useCoarse, useFit, useOverview } from './canvas/use-overview'
import { Wire } from './canvas/wire'
import type { Document } from './core/document'
import type { Catalog } from './core/ports'

const NODE_TYPES = { card: NodeCard }
const EDGE_TYPES = { wire: Wire }
const NONE: ReadonlySet<string> = new Set()
const NO_NODES: FlowNode[] = []
const NO_EDGES: Edge[] = []

interface RunGraphProps {
  readonly document: Document
  readonly catalog: Catalog
  readonly selected: string | undefined
  readonly onSelect: (node: string) => void
}

/** Read-only graph of the workflow as it ran. */
export function RunGraph(props: RunGraphProps) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  )
}

function Graph({ document, catalog, selected, onSelect }: RunGraphProps) {
  const t = useText(text)
  const chosen = useMemo(() => new Set(selected === undefined ? [] : [selected]), [selected])
  const nodes = useMemo(
    () => flowNodes(document, catalog, [], chosen, new Map()),
    [document, catalog, chosen],
  )
  const edges = useMemo(() => flowEdges(document, catalog, NONE, chosen), [document, catalog, chosen])
  const { isOverview } = useOverview(document)
  const coarse = useCoarse(nodes.length)
  const fit = useFit(catalog)
  const onNodesChange = (changes: NodeChange<FlowNode>[]) => {
    for (const change of changes) if (change.type === 'select' && change.selected) onSelect(change.id)
  }
  return (
    <section className={styles.canvas} aria-label={t('run.graph')} data-coarse={coarse}>
      <ReactFlow
        nodes={isOverview ? NO_NODES : nodes}
        edges={isOverview ? NO_EDGES : edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={onNodesChange}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        preventScrolling={false}
        ariaLabelConfig={{
          'node.a11yDescription.default': t('keys.choose'),
          'node.a11yDescription.keyboardDisabled': t('keys.choose'),
          'edge.a11yDescription.default': t('keys.choose'),
        }}
        onlyRenderVisibleElements
        {...initialView(nodes.length)}
        onInit={() => fit(document)}
      >
        {!isOverview && <Background gap={24} />}
        {!isOverview && <Annotations document={document} catalog={catalog} />}
        {isOverview && (
          <Overview nodes={nodes} edges={edges} onSelect={([first]) => first && onSelect(first)} />
        )}
      </ReactFlow>
    </section>
  )
}
