import type { Workflow } from '@medloom/contracts'
import { ReactFlow } from '@xyflow/react'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

/** Only the library of the editor, with its own nodes and wires: runs in the page. */
Object.assign(globalThis, {
  showBare({ nodes, connections }: Workflow, zoom: number) {
    const flow = createElement(ReactFlow, {
      defaultNodes: nodes.map(({ id, position, type }) => ({ id, position, data: { label: type } })),
      defaultEdges: connections.map(({ id, source, target }) => ({ id, source, target })),
      defaultViewport: { x: 0, y: 0, zoom },
      minZoom: 0.005,
      onlyRenderVisibleElements: true,
    })
    createRoot(document.body.appendChild(document.createElement('main'))).render(flow)
  },
})
