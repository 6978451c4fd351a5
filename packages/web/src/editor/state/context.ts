import type { NodeState } from '@medloom/contracts'
import { createContext, use, useCallback, useSyncExternalStore } from 'react'
import type { PortPlace } from '../core/candidates'
import type { Point } from '../core/edits'
import type { Catalog } from '../core/ports'
import type { Check, Checking } from './checking'
import type { Editing, EditingState } from './editing'
import type { RunStates } from './run-states'

/** Start of a wire that is to be drawn, and the position of a node that is added for it. */
export interface Connecting {
  readonly from: PortPlace
  readonly at?: Point
}

/** State shared by all parts of the editor. */
export interface Editor {
  readonly editing: Editing
  readonly runs: RunStates
  readonly checking: Checking
  readonly catalog: Catalog
  /** Opens the connection dialog of a port. */
  readonly askConnect: (connecting: Connecting) => void
  /** Selects a node and scrolls it into view. */
  readonly goTo: (node: string) => void
  /** Fits all nodes into the view. */
  readonly showAll: () => void
}

/** States of the visible nodes, in the editor and on the page of a run. */
export const RunsContext = createContext<RunStates | null>(null)
/** Opens the result of a node: one of its outputs, the first of them, or its error. */
export const LookContext = createContext<((node: string, port?: string) => void) | null>(null)
export const EditorContext = createContext<Editor | null>(null)

export function useEditor(): Editor {
  const editor = use(EditorContext)
  if (!editor) throw new Error('this belongs into the editor')
  return editor
}

export function useEditing(): EditingState {
  const { editing } = useEditor()
  return useSyncExternalStore(editing.subscribe, editing.state)
}

export function useNodeState(id: string): NodeState | undefined {
  const runs = use(RunsContext)
  const subscribe = useCallback(
    (listener: () => void) => runs?.subscribeNode(id, listener) ?? (() => undefined),
    [runs, id],
  )
  return useSyncExternalStore(subscribe, () => runs?.node(id))
}

export function useRunSummary() {
  const { runs } = useEditor()
  return useSyncExternalStore(runs.subscribe, runs.summary)
}

/** Check result of the document; null before the first response. */
export function useCheck(): Check | null {
  const { checking } = useEditor()
  return useSyncExternalStore(checking.subscribe, checking.answer)
}

/** Reports whether the latest result of a node does not match the document; always false on the page of a run. */
export function useOutdated(id: string): boolean {
  const checking = use(EditorContext)?.checking
  const runs = use(RunsContext)
  const subscribe = useCallback(
    (listener: () => void) => {
      const leave = [checking?.subscribe(listener), runs?.subscribe(listener)]
      return () => {
        for (const one of leave) one?.()
      }
    },
    [checking, runs],
  )
  return useSyncExternalStore(subscribe, () => checking?.isOutdated(id) ?? false)
}
