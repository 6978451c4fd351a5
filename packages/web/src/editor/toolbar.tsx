import { Link } from '@tanstack/react-router'
import { use } from 'react'
import { Button } from '../components/button'
import { Progress } from '../components/progress'
import { RunStatusBadge } from '../components/run-status-badge'
import { Status, type Tone } from '../components/status'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import type { Command } from './commands'
import { nodeOf } from './core/document'
import { OpenResultContext, useEditor, useEditState, useRunSummary } from './state/context'
import type { SaveState } from './state/edit-session'
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
  const { history } = useEditState()
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
        <SaveStateBadge />
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
  const { session, runs } = useEditor()
  const openResult = use(OpenResultContext)
  const { workflowId } = session
  const { run_id, status, progress } = useRunSummary()
  const failed = status === 'error' ? runs.firstFailedNode() : null
  // A node that was renamed or deleted since then is shown only on the page of the run.
  const exists = failed !== null && nodeOf(session.document, failed) !== undefined
  if (run_id === null) return null
  return (
    <>
      <span role="status">
        {t('run.state')} <RunStatusBadge status={status} />
      </span>
      {status === 'running' && <Progress label={t('run.state')} value={progress} />}
      <Link to="/workflows/$workflowId/runs/$runId" params={{ workflowId, runId: run_id }}>
        {t('run.open')}
      </Link>
      {exists && (
        <Button kind="quiet" icon="right" onPress={() => openResult?.(failed)}>
          {t('run.failed', { node: failed })}
        </Button>
      )}
    </>
  )
}

const TONES = {
  saved: 'good',
  changed: 'waiting',
  draft: 'neutral',
  stale: 'bad',
  failed: 'bad',
} as const satisfies Record<SaveState, Tone>

/** Save state of the document. */
function SaveStateBadge() {
  const t = useText(text)
  const { save } = useEditState()
  return <Status tone={TONES[save]}>{t(`save.${save}`)}</Status>
}
