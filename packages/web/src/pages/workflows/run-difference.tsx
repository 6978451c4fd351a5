import type { RouteResponse } from '@medloom/contracts'
import { differences } from '@medloom/contracts/plain'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Select } from '../../components/select'
import { useServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { DifferenceList } from '../../editor/panel/difference-list'
import { editor as text } from '../../text/editor'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import styles from './workflow-run-page.module.css'

type Run = RouteResponse<'getWorkflowRun'>
const SHOWN = 50

/** Comparison with another run of the same workflow: differences in the document and in the results. */
export function RunDifference({ run }: { readonly run: Run }) {
  const t = useText(text)
  const format = useFormatters()
  const { workflow_id, run_id } = run
  const [chosen, setChosen] = useState('')
  const list = useQuery(routeQuery('listWorkflowRuns', { workflow_id, page_size: SHOWN }))
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (!list.data) return <Skeleton height={4} />
  const others = list.data.runs.filter((other) => other.run_id !== run_id)
  return (
    <div className={styles.difference}>
      <Select
        label={t('diff.run')}
        choices={[
          { value: '', label: t('diff.run.none') },
          ...others.map((other) => ({ value: other.run_id, label: format.moment(other.created_at) })),
        ]}
        value={chosen}
        onChange={setChosen}
      />
      {chosen !== '' && <RunComparison run={run} otherId={chosen} />}
    </div>
  )
}

function RunComparison({ run, otherId }: { readonly run: Run; readonly otherId: string }) {
  const t = useText(text)
  const format = useFormatters()
  const textOf = useServiceText()
  const query = useQuery(routeQuery('getWorkflowRun', { workflow_id: run.workflow_id, run_id: otherId }))
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Skeleton height={4} />
  const other = query.data
  const found = differences(other.workflow, run.workflow)
  const results = changedResults(other.nodes, run.nodes)
  return (
    <>
      <h3>{t('diff.run.to', { time: format.moment(other.created_at) })}</h3>
      {found.length === 0 ? <p>{t('diff.same')}</p> : <DifferenceList found={found} texts="diff" />}
      <h3>{t('diff.results')}</h3>
      {results.length === 0 && <p>{t('diff.results.none')}</p>}
      <ul>
        {results.map(({ node, port, before, after }) => (
          <li key={`${node} ${port}`}>
            <strong>{t('diff.result', { node, port })}</strong>{' '}
            {t('diff.became', {
              before: textOf(before.summary, before.summary_phrases),
              after: textOf(after.summary, after.summary_phrases),
            })}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Outputs of both runs with different values. */
function changedResults(before: Run['nodes'], after: Run['nodes']) {
  return Object.entries(after).flatMap(([node, { outputs }]) =>
    Object.entries(outputs).flatMap(([port, output]) => {
      const old = before[node]?.outputs[port]
      if (!old || old.digest === output.digest) return []
      return [{ node, port, before: old, after: output }]
    }),
  )
}
