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

/** The frequent commands and what is saved; below them how the latest run stands. As high whatever is said there, so that the drawing stays. */
export function Toolbar({
  commands,
  unqueue,
}: {
  readonly commands: readonly Command[]
  /** Where a run waits for another one: takes it back. */
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
  // Renamed or deleted since: the page of the run shows it.
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
