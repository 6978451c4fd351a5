import type { WorkflowIssue } from '@medloom/contracts'
import { type ReactNode, use } from 'react'
import { Button } from '../../components/button'
import { LongList } from '../../components/long-list'
import { ErrorText, IssueRemedy, IssueText } from '../../components/service-text'
import { Status, type Tone } from '../../components/status'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { nodeOf } from '../core/document'
import { OpenResultContext, useCheck, useEditor, useEditState, useRunSummary } from '../state/context'
import styles from './panels.module.css'
import { UpgradeDefaults } from './upgrade-defaults'

interface Problem {
  readonly key: string
  readonly tone: Tone
  readonly kind: string
  readonly code: string
  readonly message: ReactNode
  readonly remedy?: ReactNode
  readonly location?: { readonly name: string; readonly open: () => void } | undefined
}

/** Failed nodes of the latest run, then errors and warnings of the workflow; those of the selected nodes come first. */
export function Problems() {
  const t = useText(text)
  const issues = useIssues()
  const problems = [...useFailures(), ...issues]
  if (problems.length === 0) return <p className={styles.soft}>{t('problems.none')}</p>
  return (
    <LongList label={t('view.problems')} items={problems} keyOf={({ key }) => key} className={styles.item}>
      {({ tone, kind, code, message, remedy, location }) => (
        <>
          <span className={styles.line}>
            <Status tone={tone}>{kind}</Status>
            <code className={styles.soft}>{code}</code>
          </span>
          <p>{message}</p>
          {remedy && <p className={styles.soft}>{remedy}</p>}
          {code === 'EARLIER_DEFAULTS' && <UpgradeDefaults />}
          {location && (
            <Button kind="quiet" icon="right" onPress={location.open}>
              {t('problems.goto', { node: location.name })}
            </Button>
          )}
        </>
      )}
    </LongList>
  )
}

function useFailures(): readonly Problem[] {
  const t = useText(text)
  const { runs, session } = useEditor()
  const openResult = use(OpenResultContext)
  const { status, run_id } = useRunSummary()
  if (status !== 'error') return []
  return runs.failures().map(([node, { type, message, message_phrases: phrases }]) => ({
    key: `${run_id} ${node}`,
    tone: 'bad',
    kind: t('state.error'),
    code: type,
    message: <ErrorText code={type} english={message} phrases={phrases} />,
    location: nodeOf(session.document, node) && { name: node, open: () => openResult?.(node) },
  }))
}

function useIssues(): readonly Problem[] {
  const t = useText(text)
  const { goTo, session } = useEditor()
  const { nodes } = useEditState()
  const issues = useCheck()?.issues ?? []
  const locationOf = ({ node, connection }: WorkflowIssue): Problem['location'] => {
    if (node !== undefined) return { name: node, open: () => goTo(node) }
    if (connection === undefined) return undefined
    return { name: connection, open: () => session.select([], [connection]) }
  }
  return [...issues]
    .sort((a, b) => rank(a, nodes) - rank(b, nodes))
    .map((issue) => ({
      key: `${issue.path} ${issue.code} ${issue.message}`,
      tone: issue.severity === 'error' ? 'bad' : 'waiting',
      kind: t(`problems.${issue.severity}`),
      code: issue.code,
      message: <IssueText issue={issue} />,
      remedy: issue.hint && <IssueRemedy issue={issue} />,
      location: locationOf(issue),
    }))
}

function rank({ node, severity }: WorkflowIssue, selected: ReadonlySet<string>): number {
  return (node !== undefined && selected.has(node) ? 0 : 2) + (severity === 'error' ? 0 : 1)
}
