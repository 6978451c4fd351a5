import type { RouteResponse } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useBlocker } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { read } from '../../app/service'
import { Broken } from '../../components/boundary'
import { Skeleton } from '../../components/skeleton'
import { catalogOf } from '../../editor/core/ports'
import { Editor } from '../../editor/editor'
import type { EditorSearch } from '../../editor/search'
import { Editing, type SaveState } from '../../editor/state/editing'
import { useRuns } from '../../editor/state/use-runs'
import { readVersion, type Version } from '../../editor/state/version'
import { useNodeCatalog } from '../../text/contracts/nodes'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'

/** States in which leaving the page would lose changes. */
const UNKEPT: ReadonlySet<SaveState> = new Set(['changed', 'failed', 'stale'])

const route = getRouteApi('/workflows/$workflowId')

/** Editor page of one workflow. */
export function EditorPage() {
  const { workflowId } = route.useParams()
  // The cache is not used: an editor that opens an old version would immediately report it as stale.
  const version = useQuery({
    queryKey: ['openWorkflow', workflowId],
    queryFn: ({ signal }) => readVersion(workflowId, signal),
    gcTime: 0,
  })
  const nodes = useQuery({ ...read('listNodes', {}), staleTime: Number.POSITIVE_INFINITY })
  const error = version.error ?? nodes.error
  if (error && !version.data) return <Broken error={error} onRetry={() => void version.refetch()} />
  if (!version.data || !nodes.data) return <Skeleton height={40} />
  return <Opened key={workflowId} workflowId={workflowId} version={version.data} nodes={nodes.data} />
}

function Opened({
  workflowId,
  version,
  nodes,
}: {
  readonly workflowId: string
  readonly version: Version
  readonly nodes: RouteResponse<'listNodes'>
}) {
  const t = useText(text)
  const search = route.useSearch()
  const [editing] = useState(() => new Editing(workflowId, version))
  const runs = useRuns(workflowId)
  const named = useNodeCatalog(nodes)
  const catalog = useMemo(() => catalogOf(named), [named])
  const onSearch = useSearchChange()
  useEffect(() => editing.foreign(version), [editing, version])
  useSelectionInAddress(editing, search.node, onSearch)
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      // Navigation within the same page, which stores selection and panel in the address, does not wait.
      if (next.pathname !== current.pathname) await editing.keep().catch(() => undefined)
      return false
    },
    enableBeforeUnload: () => UNKEPT.has(editing.state().save),
  })
  return (
    <>
      <title>{`${version.workflow.metadata.name || t('untitled')} · Medloom`}</title>
      <Editor editing={editing} runs={runs} catalog={catalog} search={search} onSearch={onSearch} />
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
  editing: Editing,
  node: string | undefined,
  onSearch: (change: Partial<EditorSearch>) => void,
): void {
  /** Requested addresses that have not taken effect yet: the selection is newer than these. */
  const asked = useRef<(string | undefined)[]>([])
  useEffect(() => {
    const at = asked.current.lastIndexOf(node)
    if (at >= 0) asked.current.splice(0, at + 1)
    else if (node !== undefined && !editing.state().nodes.has(node)) editing.select([node])
  }, [editing, node])
  useEffect(() => {
    let told = [...editing.state().nodes].join()
    return editing.subscribe(() => {
      const { nodes } = editing.state()
      const now = [...nodes].join()
      if (now === told) return
      told = now
      const one = nodes.size === 1 ? now : undefined
      asked.current.push(one)
      onSearch({ node: one })
    })
  }, [editing, onSearch])
}
