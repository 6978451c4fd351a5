import { type Edge, useReactFlow, useStoreApi } from '@xyflow/react'
import { use, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { FrameThrottle } from '../../app/frame-throttle'
import { resolveColors, useColorScheme } from '../../components/colors'
import { OVERVIEW_STATES_MILLISECONDS } from '../../durations'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import type { Point } from '../core/edits'
import { hasResult, OUTDATED_TONE, TONES } from '../node-status'
import { EditorContext, RunsContext } from '../state/context'
import type { DocumentChecker } from '../state/document-checker'
import type { RunStates } from '../state/run-states'
import type { FlowNode } from './flow-nodes'
import styles from './overview.module.css'
import { type BoxTone, type Paints, paint } from './overview-paint'
import { boxAt, boxesIn, type Scene, sceneOf, withSelectedMoved } from './overview-scene'
import { paneOf, useDragging } from './use-dragging'

const STATE_TONES = ['waiting', 'running', 'good', 'bad', 'neutral'] as const

export interface OverviewActions {
  /** The selected nodes were dragged. */
  readonly onDrop: (by: Point) => void
  /** A node was opened for session. */
  readonly onOpen: (id: string) => void
}

/**
 * Overview of the workflow, painted on one canvas: thousands of nodes as elements are too slow. Panning and zooming work as in the editor
 * canvas. A click selects a node, selected nodes can be dragged, and a double click opens a node. Screen readers use the outline.
 */
export function Overview({
  nodes,
  edges,
  onSelect,
  actions,
  overlapping = false,
}: {
  readonly nodes: readonly FlowNode[]
  readonly edges: readonly Edge[]
  readonly onSelect: (ids: readonly string[], additive: boolean) => void
  /** Actions on nodes in the editor; absent: the overview is read-only. */
  readonly actions?: OverviewActions
  /** Nodes overlap, and no zoom shows them as cards. */
  readonly overlapping?: boolean
}) {
  const t = useText(text)
  const canvas = useRef<HTMLCanvasElement>(null)
  const scene = useMemo(() => sceneOf(nodes, edges), [nodes, edges])
  const offset = useDragging(canvas, scene, actions?.onDrop)
  const shown = useMemo(
    () => (offset === null ? scene : sceneOf(withSelectedMoved(nodes, offset), edges)),
    [scene, offset, nodes, edges],
  )
  usePainting(canvas, shown)
  useSelecting(canvas, scene, onSelect, actions?.onOpen)
  return (
    <>
      <canvas
        ref={canvas}
        role="img"
        aria-label={t('canvas.overview', { count: nodes.length })}
        className={styles.overview}
      />
      {actions && <p className={styles.hint}>{t(overlapping ? 'canvas.piled' : 'canvas.afar')}</p>}
    </>
  )
}

/** Repaints after every change, at most once per frame. */
function usePainting(canvas: React.RefObject<HTMLCanvasElement | null>, scene: Scene): void {
  const store = useStoreApi()
  const runs = use(RunsContext)
  const checker = use(EditorContext)?.checker
  const scheme = useColorScheme()
  useLayoutEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context) return
    const style = { paints: readPaints(element), toneOf: (node: string) => toneOf(runs, checker, node) }
    const draw = () => {
      const { transform, width, height } = store.getState()
      fitPixels(element, width, height)
      paint(context, scene, { x: transform[0], y: transform[1], zoom: transform[2], width, height }, style)
    }
    const frame = new FrameThrottle(draw)
    const requestDraw = () => frame.request()
    draw()
    const leave = store.subscribe((now, before) => {
      if (now.transform !== before.transform || now.width !== before.width || now.height !== before.height)
        requestDraw()
    })
    const leaveStates = [runs, checker].map((states) =>
      throttle(OVERVIEW_STATES_MILLISECONDS, states?.subscribe, requestDraw),
    )
    return () => {
      leave()
      for (const one of leaveStates) one()
      frame.cancel()
    }
  }, [canvas, scene, store, runs, checker, scheme])
}

/** Subscribes, and calls the action at most once per interval. */
function throttle(milliseconds: number, subscribe: RunStates['subscribe'] | undefined, action: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const leave = subscribe?.(() => {
    timer ??= setTimeout(() => {
      timer = undefined
      action()
    }, milliseconds)
  })
  return () => {
    leave?.()
    clearTimeout(timer)
  }
}

function toneOf(runs: RunStates | null, checker: DocumentChecker | undefined, node: string): BoxTone {
  const status = runs?.node(node)?.status
  if (status && hasResult(status) && checker?.isOutdated(node)) return OUTDATED_TONE
  return status === undefined ? 'idle' : TONES[status]
}

function readPaints(element: HTMLElement): Paints {
  const color = resolveColors(element)
  const states = STATE_TONES.map((tone) => [
    tone,
    { fill: color(`--${tone}-soft`), line: color(`--${tone}`) },
  ])
  return {
    ...(Object.fromEntries(states) as Pick<Paints, (typeof STATE_TONES)[number]>),
    idle: { fill: color('--surface'), line: color('--outline') },
    wire: color('--outline'),
    chosen: color('--accent'),
    ink: color('--ink'),
    font: getComputedStyle(element).fontFamily,
  }
}

function fitPixels(canvas: HTMLCanvasElement, width: number, height: number): void {
  const [across, down] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)]
  if (canvas.width !== across) canvas.width = across
  if (canvas.height !== down) canvas.height = down
}

/** A click selects a node, with Mod in addition to the selection; a double click opens it. Shift and drag selects the nodes in an area. */
function useSelecting(
  canvas: React.RefObject<HTMLCanvasElement | null>,
  scene: Scene,
  onSelect: (ids: readonly string[], more: boolean) => void,
  onOpen: ((id: string) => void) | undefined,
): void {
  const store = useStoreApi()
  const flow = useReactFlow()
  useEffect(() => {
    const pane = paneOf(canvas.current)
    if (!pane) return
    const onClick = (event: MouseEvent) => {
      const point = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })
      const box = boxAt(scene, point)
      const more = event.metaKey || event.ctrlKey
      if (box || !more) onSelect(box ? [box.id] : [], more)
    }
    const onDoubleClick = (event: MouseEvent) => {
      const box = boxAt(scene, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }))
      if (!box || !onOpen) return
      // A double click elsewhere zooms in by one step.
      event.stopPropagation()
      onOpen(box.id)
    }
    pane.addEventListener('click', onClick)
    pane.addEventListener('dblclick', onDoubleClick)
    const leave = store.subscribe(({ userSelectionRect: now }, { userSelectionRect: area, transform }) => {
      if (now || !area || area.width === 0) return
      const [x, y, zoom] = transform
      const [width, height] = [area.width / zoom, area.height / zoom]
      const inside = boxesIn(scene, { x: (area.x - x) / zoom, y: (area.y - y) / zoom, width, height })
      onSelect(
        inside.map(({ id }) => id),
        false,
      )
    })
    return () => {
      pane.removeEventListener('click', onClick)
      pane.removeEventListener('dblclick', onDoubleClick)
      leave()
    }
  }, [canvas, scene, onSelect, onOpen, store, flow])
}
