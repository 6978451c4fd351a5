import { isTerminal } from '@medloom/contracts/plain'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { useEditor, useRunSummary } from '../state/context'
import styles from './panels.module.css'
import { RunLog } from './run-log'

/** Log of the latest run. */
export function Log() {
  const t = useText(text)
  const { workflowId } = useEditor().editing
  const { run_id, status } = useRunSummary()
  if (run_id === null) return <p className={styles.soft}>{t('log.none')}</p>
  return <RunLog workflowId={workflowId} runId={run_id} ended={isTerminal(status)} />
}
