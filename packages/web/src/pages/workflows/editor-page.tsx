import type { RouteResponse } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Skeleton } from '../../components/skeleton'
import { catalogOf } from '../../editor/core/ports'
import { Editor } from '../../editor/editor'
import type { EditorSearch } from '../../editor/search'
import { EditSession, type SaveState } from '../../editor/state/edit-session'
import { readStoredVersion, type StoredVersion } from '../../editor/state/stored-version'
import { useRunStates } from '../../editor/state/use-run-states'
import { useNodeCatalog } from '../../text/contracts/nodes'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'

/** States in which leaving the page would lose changes. */
const UNSAVED: ReadonlySet<SaveState> = new Set(['changed', 'failed', 'stale'])

const route = getRouteApi('/workflows/$workflowId')

/** Editor page of one workflow. */
export function EditorPage() {
  const { workflowId } = route.useParams()
  // The cache is not used: an editor that opens an old version would immediately report it as stale.
  const version = useQuery({
    queryKey: ['openWorkflow', workflowId],
    queryFn: ({ signal }) => readStoredVersion(workflowId, signal),
    gcTime: 0,
  })
  const nodes = useQuery({ ...routeQuery('listNodes', {}), staleTime: Number.POSITIVE_INFINITY })
  const error = version.error ?? nodes.error
  if (error && !version.data) return <ErrorNotice error={error} onRetry={() => void version.refetch()} />
  if (!version.data || !nodes.data) return <Skeleton height={40} />
  return <OpenEditor key={workflowId} workflowId={workflowId} version={version.data} nodes={nodes.data} />
}

function OpenEditor({
  workflowId,
  version,
  nodes,
}: {
  readonly workflowId: string
  readonly version: StoredVersion
  readonly nodes: RouteResponse<'listNodes'>
}) {
  const t = useText(text)
  const search = route.useSearch()
  const [session] = useState(() => new EditSession(workflowId, version))
  const runs = useRunStates(workflowId)
  const named = useNodeCatalog(nodes)
  const catalog = useMemo(() => catalogOf(named), [named])
  const onSearch = useSearchChange()
  useEffect(() => session.compareWithStored(version), [session, version])
  useSelectionInAddress(session, search.node, onSearch)
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      // Navigation within the same page, which stores selection and panel in the address, does not wait.
      if (next.pathname !== current.pathname) await session.saveDraft().catch(() => undefined)
      return false
    },
    enableBeforeUnload: () => UNSAVED.has(session.state().save),
  })
  return (
    <>
      <title>{`${version.workflow.metadata.name || t('untitled')} · Medloom`}</title>
      <Editor session={session} runs={runs} catalog={catalog} search={search} onSearch={onSearch} />
    </>
  )
}

function useSearchChange(): (change: Partial<EditorSearch>) => void {
  const navigate = route.useNavigate()
  return useCallback(
    (change) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false }),
    [navigate],
  )
}

/** A link to a node selects it; the address stores the selection. */
function useSelectionInAddress(
  session: EditSession,
  node: string | undefined,
  onSearch: (change: Partial<EditorSearch>) => void,
): void {
  /** Requested addresses that have not taken effect yet: the selection is newer than these. */
  const pending = useRef<(string | undefined)[]>([])
  useEffect(() => {
    const index = pending.current.lastIndexOf(node)
    if (index >= 0) pending.current.splice(0, index + 1)
    else if (node !== undefined && !session.state().nodes.has(node)) session.select([node])
  }, [session, node])
  useEffect(() => {
    let last = [...session.state().nodes].join()
    return session.subscribe(() => {
      const { nodes } = session.state()
      const now = [...nodes].join()
      if (now === last) return
      last = now
      const one = nodes.size === 1 ? now : undefined
      pending.current.push(one)
      onSearch({ node: one })
    })
  }, [session, onSearch])
}
