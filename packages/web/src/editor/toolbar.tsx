import { Link } from '@tanstack/react-router'
import { use } from 'react'
import { Button } from '../components/button'
import { Progress } from '../components/progress'
import { RunState } from '../components/run-status'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import type { Command } from './commands'
import { nodeOf } from './core/document'
import { SaveMark } from './save-mark'
import { LookContext, useEditing, useEditor, useRunSummary } from './state/context'
import styles from './toolbar.module.css'

/** Frequent commands and save state, with the status of the latest run below. The height is constant, so that the canvas does not move. */
export function Toolbar({
  commands,
  unqueue,
}: {
  readonly commands: readonly Command[]
  /** Cancels a run that waits for another one. */
  readonly unqueue: (() => void) | null
}) {
  const t = useText(text)
  const { history } = useEditing()
  const shown = (id: Command['id']) => commands.find((one) => one.id === id)
  const bar = (
    ['do.save', 'do.undo', 'do.redo', 'do.layout', 'do.plan', 'do.find', 'do.help'] as const
  ).flatMap((id) => shown(id) ?? [])
  const run = shown('do.run')
  const cancel = shown('do.cancel')
  return (
    <header className={styles.bar}>
      <div className={styles.title}>
        <Link to="/workflows">{t('back')}</Link>
        <h1 dir="auto">{history.document.metadata.name || t('untitled')}</h1>
        <SaveMark />
      </div>
      <div role="toolbar" aria-label={t('actions')} className={styles.actions}>
        {bar.map(({ id, enabled, run }) => (
          <Button key={id} kind="quiet" isDisabled={!enabled} onPress={run}>
            {t(id)}
          </Button>
        ))}
      </div>
      <div className={styles.run}>
        {cancel?.enabled ? (
          <>
            <Button icon="waiting" isDisabled={!run?.enabled} onPress={() => run?.run()}>
              {t('run.queue')}
            </Button>
            <Button kind="danger" icon="stopped" onPress={cancel.run}>
              {t('do.cancel')}
            </Button>
          </>
        ) : (
          <Button kind="primary" icon="running" isDisabled={!run?.enabled} onPress={() => run?.run()}>
            {t('do.run')}
          </Button>
        )}
        <LatestRun />
        {unqueue && (
          <>
            <span role="status">{t('run.queued')}</span>
            <Button kind="quiet" onPress={unqueue}>
              {t('run.unqueue')}
            </Button>
          </>
        )}
      </div>
    </header>
  )
}

function LatestRun() {
  const t = useText(text)
  const { editing, runs } = useEditor()
  const look = use(LookContext)
  const { workflowId } = editing
  const { run_id, status, progress } = useRunSummary()
  const failed = status === 'error' ? runs.failed() : null
  // A node that was renamed or deleted since then is shown only on the page of the run.
  const isThere = failed !== null && nodeOf(editing.document, failed) !== undefined
  if (run_id === null) return null
  return (
    <>
      <span role="status">
        {t('run.state')} <RunState status={status} />
      </span>
      {status === 'running' && <Progress label={t('run.state')} value={progress} />}
      <Link to="/workflows/$workflowId/runs/$runId" params={{ workflowId, runId: run_id }}>
        {t('run.open')}
      </Link>
      {isThere && (
        <Button kind="quiet" icon="right" onPress={() => look?.(failed)}>
          {t('run.failed', { node: failed })}
        </Button>
      )}
    </>
  )
}
