import type { NodeState } from '@medloom/contracts'
import { createContext, use, useCallback, useSyncExternalStore } from 'react'
import type { PortPlace } from '../core/candidates'
import type { Point } from '../core/edits'
import type { Catalog } from '../core/ports'
import type { Check, Checking } from './checking'
import type { Editing, EditingState } from './editing'
import type { RunStates } from './run-states'

/** Where a wire begins that is to be drawn, and where a node that is added for it would stand. */
export interface Connecting {
  readonly from: PortPlace
  readonly at?: Point
}

/** What every part of the editor works on. */
export interface Editor {
  readonly editing: Editing
  readonly runs: RunStates
  readonly checking: Checking
  readonly catalog: Catalog
  /** Ask what to connect a port to. */
  readonly askConnect: (connecting: Connecting) => void
  /** Select a node, and bring it into view. */
  readonly goTo: (node: string) => void
  /** Bring all nodes into view. */
  readonly showAll: () => void
}

/** The states of the nodes that are shown, in the editor and where a run is looked at. */
export const RunsContext = createContext<RunStates | null>(null)
/** Look at the result of a node: at one of its outputs, or at the first of them, or why it failed. */
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

/** What the service says of the document; null before it has answered. */
export function useCheck(): Check | null {
  const { checking } = useEditor()
  return useSyncExternalStore(checking.subscribe, checking.answer)
}

/** Whether the latest result of a node no longer belongs to the document; never where a run is looked at. */
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
