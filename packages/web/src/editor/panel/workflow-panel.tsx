import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { routeQuery } from '../../app/service'
import { useUserNames } from '../../app/users'
import { TextField } from '../../components/field'
import { RunStatusBadge } from '../../components/run-status-badge'
import { editor as text } from '../../text/editor'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import { describeDocument } from '../core/edits'
import { useEditor, useEditState } from '../state/context'
import { AnnotationTexts } from './annotation-texts'
import { OpenAsConfiguration } from './open-as-configuration'
import styles from './panels.module.css'
import { Revisions } from './revisions'

const SHOWN = 10

/** Panel of the workflow, shown while no node is selected. */
export function WorkflowPanel() {
  const t = useText(text)
  const { session } = useEditor()
  const { metadata, nodes, connections } = useEditState().history.document
  const set = (field: 'name' | 'description') => (value: string) =>
    session.perform(describeDocument(field, value), `describe ${field}`)
  return (
    <div className={styles.stack}>
      <TextField label={t('workflow.name')} value={metadata.name} onChange={set('name')} />
      <TextField
        label={t('workflow.description')}
        lines={4}
        value={metadata.description}
        onChange={set('description')}
      />
      <p className={styles.soft}>
        {t('workflow.counts', { nodes: nodes.length, wires: connections.length })}
      </p>
      <OpenAsConfiguration />
      <AnnotationTexts />
      <EarlierRuns />
      <Revisions />
    </div>
  )
}

function EarlierRuns() {
  const t = useText(text)
  const format = useFormatters()
  const { workflowId } = useEditor().session
  const hasOwners = useUserNames().length > 0
  const runs =
    useQuery(routeQuery('listWorkflowRuns', { workflow_id: workflowId, page_size: SHOWN })).data?.runs ?? []
  if (runs.length === 0) return null
  return (
    <section className={styles.stack}>
      <h3>{t('workflow.runs')}</h3>
      <ul>
        {runs.map(({ run_id, status, created_at, owner }) => (
          <li key={run_id} className={styles.row}>
            <Link to="/workflows/$workflowId/runs/$runId" params={{ workflowId, runId: run_id }}>
              {format.moment(created_at)}
            </Link>
            <RunStatusBadge status={status} />
            {hasOwners && owner}
          </li>
        ))}
      </ul>
    </section>
  )
}
