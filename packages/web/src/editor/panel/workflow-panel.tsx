import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../app/service'
import { useSeveralUsers } from '../../app/users'
import { TextField } from '../../components/field'
import { RunState } from '../../components/run-status'
import { editor as text } from '../../text/editor'
import { useFigures } from '../../text/figures'
import { useText } from '../../text/use-text'
import { describeDocument } from '../core/edits'
import { useEditing, useEditor } from '../state/context'
import { AsConfiguration } from './as-configuration'
import styles from './panels.module.css'
import { Revisions } from './revisions'
import { WorkflowMarks } from './workflow-marks'

const SHOWN = 10

/** Panel of the workflow, shown while no node is selected. */
export function WorkflowPanel() {
  const t = useText(text)
  const { editing } = useEditor()
  const { metadata, nodes, connections } = useEditing().history.document
  const set = (field: 'name' | 'description') => (value: string) =>
    editing.perform(describeDocument(field, value), `describe ${field}`)
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
      <AsConfiguration />
      <WorkflowMarks />
      <EarlierRuns />
      <Revisions />
    </div>
  )
}

function EarlierRuns() {
  const t = useText(text)
  const figures = useFigures()
  const { workflowId } = useEditor().editing
  const hasOwners = useSeveralUsers().length > 0
  const runs =
    useQuery(read('listWorkflowRuns', { workflow_id: workflowId, page_size: SHOWN })).data?.runs ?? []
  if (runs.length === 0) return null
  return (
    <section className={styles.stack}>
      <h3>{t('workflow.runs')}</h3>
      <ul>
        {runs.map(({ run_id, status, created_at, owner }) => (
          <li key={run_id} className={styles.row}>
            <Link to="/workflows/$workflowId/runs/$runId" params={{ workflowId, runId: run_id }}>
              {figures.moment(created_at)}
            </Link>
            <RunState status={status} />
            {hasOwners && owner}
          </li>
        ))}
      </ul>
    </section>
  )
}
