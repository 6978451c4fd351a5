import type { NodeState } from '@medloom/contracts'
import { createContext, use, useCallback, useSyncExternalStore } from 'react'
import type { PortRef } from '../core/connection-candidates'
import type { Point } from '../core/edits'
import type { Catalog } from '../core/ports'
import type { Check, DocumentChecker } from './document-checker'
import type { EditSession, EditSessionState } from './edit-session'
import type { RunStates } from './run-states'

/** Start of a wire that is to be drawn, and the position of a node that is added for it. */
export interface ConnectRequest {
  readonly from: PortRef
  readonly position?: Point
}

/** State shared by all parts of the editor. */
export interface Editor {
  readonly session: EditSession
  readonly runs: RunStates
  readonly checker: DocumentChecker
  readonly catalog: Catalog
  /** Opens the connection dialog of a port. */
  readonly openConnectDialog: (connecting: ConnectRequest) => void
  /** Selects a node and scrolls it into view. */
  readonly goTo: (node: string) => void
  /** Fits all nodes into the view. */
  readonly showAll: () => void
}

/** States of the visible nodes, in the editor and on the page of a run. */
export const RunsContext = createContext<RunStates | null>(null)
/** Opens the result of a node: one of its outputs, the first of them, or its error. */
export const OpenResultContext = createContext<((node: string, port?: string) => void) | null>(null)
export const EditorContext = createContext<Editor | null>(null)

export function useEditor(): Editor {
  const editor = use(EditorContext)
  if (!editor) throw new Error('this belongs into the editor')
  return editor
}

export function useEditState(): EditSessionState {
  const { session } = useEditor()
  return useSyncExternalStore(session.subscribe, session.state)
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
  const { checker } = useEditor()
  return useSyncExternalStore(checker.subscribe, checker.result)
}

/** Reports whether the latest result of a node does not match the document; always false on the page of a run. */
export function useOutdated(id: string): boolean {
  const checker = use(EditorContext)?.checker
  const runs = use(RunsContext)
  const subscribe = useCallback(
    (listener: () => void) => {
      const unsubscribes = [checker?.subscribe(listener), runs?.subscribe(listener)]
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe?.()
      }
    },
    [checker, runs],
  )
  return useSyncExternalStore(subscribe, () => checker?.isOutdated(id) ?? false)
}
