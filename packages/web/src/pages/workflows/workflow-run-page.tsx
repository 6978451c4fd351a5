import type { RouteResponse } from '@medloom/contracts'
import { isTerminal } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { LinkButton } from '../../components/button'
import { PageHeader, Panel } from '../../components/panel'
import { RunStatusBadge } from '../../components/run-status-badge'
import { ServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { RUN_POLL_MILLISECONDS } from '../../durations'
import { catalogOf } from '../../editor/core/ports'
import { Result } from '../../editor/panel/result'
import { RunLog } from '../../editor/panel/run-log'
import { RunGraph } from '../../editor/run-graph'
import { OpenResultContext, RunsContext } from '../../editor/state/context'
import { RunStates } from '../../editor/state/run-states'
import { Timeline } from '../../editor/timeline'
import { useNodeCatalog } from '../../text/contracts/nodes'
import { editor as text } from '../../text/editor'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import { RunDifference } from './run-difference'
import { RunProvenance } from './run-provenance'
import styles from './workflow-run-page.module.css'

const route = getRouteApi('/workflows/$workflowId/runs/$runId')
type Run = RouteResponse<'getWorkflowRun'>

/** Page of one run: the workflow as it ran, the timeline, the log and the results. */
export function WorkflowRunPage() {
  const { workflowId, runId } = route.useParams()
  const run = useQuery({
    ...routeQuery('getWorkflowRun', { workflow_id: workflowId, run_id: runId }),
    refetchInterval: ({ state }) =>
      state.data && isTerminal(state.data.status) ? false : RUN_POLL_MILLISECONDS,
  })
  const nodes = useQuery({ ...routeQuery('listNodes', {}), staleTime: Number.POSITIVE_INFINITY })
  const error = run.error ?? nodes.error
  if (error && !run.data) return <ErrorNotice error={error} onRetry={() => void run.refetch()} />
  if (!run.data || !nodes.data) return <Skeleton height={40} />
  return <RunView run={run.data} nodes={nodes.data} />
}

function RunView({ run, nodes }: { readonly run: Run; readonly nodes: RouteResponse<'listNodes'> }) {
  const t = useText(text)
  const { node, port } = route.useSearch()
  const navigate = route.useNavigate()
  const named = useNodeCatalog(nodes)
  const catalog = useMemo(() => catalogOf(named), [named])
  const runs = useRunStatesOf(run)
  const openResult = useCallback(
    (id: string, output?: string) =>
      void navigate({ search: { node: id, port: output }, replace: true, resetScroll: false }),
    [navigate],
  )
  const select = (id: string) => openResult(id)
  const { workflow_id: workflowId } = run
  return (
    <RunsContext value={runs}>
      <OpenResultContext value={openResult}>
        <Head run={run} />
        <div className={styles.page}>
          <RunProvenance run={run} />
          <div className={styles.graph}>
            <RunGraph document={run.workflow} catalog={catalog} selected={node} onSelect={select} />
          </div>
          <div className={styles.columns}>
            <Panel title={t('run.timeline')} height={12}>
              <Timeline nodes={run.nodes} selected={node} onSelect={select} />
            </Panel>
            <Panel title={node ?? t('run.outputs')} height={12}>
              {node === undefined ? (
                <p>{t('run.choose')}</p>
              ) : (
                <Result
                  workflowId={workflowId}
                  runId={run.run_id}
                  node={node}
                  state={run.nodes[node]}
                  port={port}
                  onPort={(output) => openResult(node, output)}
                />
              )}
            </Panel>
          </div>
          <Panel title={t('diff.runs')} height={6}>
            <RunDifference run={run} />
          </Panel>
          <Panel title={t('view.log')} height={8}>
            <RunLog workflowId={workflowId} runId={run.run_id} ended={isTerminal(run.status)} />
          </Panel>
        </div>
      </OpenResultContext>
    </RunsContext>
  )
}

function Head({ run }: { readonly run: Run }) {
  const t = useText(text)
  const format = useFormatters()
  const { workflow, workflow_id: workflowId, status, reason, created_at, ended_at, counts } = run
  const seconds = ended_at === null ? null : (Date.parse(ended_at) - Date.parse(created_at)) / 1000
  const { success = 0, cached = 0, error = 0, skipped = 0 } = counts
  return (
    <PageHeader
      title={t('run.title', { name: workflow.metadata.name || t('untitled') })}
      lead={
        <div className={styles.lead}>
          <RunStatusBadge status={status} />
          <span>{t('run.started', { time: format.moment(created_at) })}</span>
          {seconds !== null && <span>{t('run.took', { time: format.duration(seconds) })}</span>}
          <span>{t('run.counts', { done: success, reused: cached, failed: error, skipped })}</span>
          {reason && (
            <p className={styles.reason}>
              <ServiceText english={reason} phrases={run.reason_phrases} />
            </p>
          )}
        </div>
      }
    >
      <LinkButton icon="edit" to="/workflows/$workflowId" params={{ workflowId }}>
        {t('run.edit')}
      </LinkButton>
    </PageHeader>
  )
}

/** Node states to which the canvas subscribes. */
function useRunStatesOf(run: Run): RunStates {
  const [runs] = useState(() => new RunStates())
  useEffect(() => {
    const { workflow_id, run_id, status, progress, nodes, reason } = run
    runs.replace({ workflow_id, run_id, status, progress, nodes }, reason)
  }, [runs, run])
  return runs
}
