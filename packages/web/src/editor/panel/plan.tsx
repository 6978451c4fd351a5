import type { RouteResponse } from '@medloom/contracts'
import { LongList } from '../../components/long-list'
import { ServiceText } from '../../components/service-text'
import { Skeleton } from '../../components/skeleton'
import { Status, type Tone } from '../../components/status'
import { TextButton } from '../../components/text-button'
import { editor as text } from '../../text/editor'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import { useCheck, useEditor, useEditState } from '../state/context'
import styles from './panels.module.css'

const TONES = { run: 'running', reuse: 'good', skip: 'neutral' } as const satisfies Record<string, Tone>
type Step = NonNullable<RouteResponse<'checkWorkflow'>['plan']>['steps'][number]

/** Plan of the next run: action, reason and duration for every node. It follows each edit, before anything is saved. */
export function Plan() {
  const t = useText(text)
  const format = useFormatters()
  const { history } = useEditState()
  const check = useCheck()
  if (history.document.nodes.length === 0) return <p className={styles.soft}>{t('plan.none')}</p>
  if (!check) return <Skeleton height={12} />
  if (!check.plan) return <p className={styles.soft}>{t('plan.errors')}</p>
  const { run = 0, reuse = 0, skip = 0 } = check.plan.counts
  const seconds = check.plan.steps.reduce((sum, { estimate_seconds }) => sum + (estimate_seconds ?? 0), 0)
  const unknown = check.plan.steps.filter(({ estimate_seconds }) => estimate_seconds === null).length
  return (
    <div className={styles.stack}>
      <p role="status">{t('plan.counts', { run, reuse, skip })}</p>
      {run > 0 && (
        <p className={styles.soft}>{t('plan.time', { time: format.duration(seconds), unknown })}</p>
      )}
      <LongList
        label={t('view.plan')}
        items={check.plan.steps}
        keyOf={({ node }) => node}
        className={styles.item}
      >
        {(step) => <PlanItem step={step} />}
      </LongList>
    </div>
  )
}

function PlanItem({ step }: { readonly step: Step }) {
  const t = useText(text)
  const format = useFormatters()
  const { goTo } = useEditor()
  const { node, action, message, message_phrases, changes, estimate_seconds } = step
  return (
    <>
      <span className={styles.row}>
        <TextButton onPress={() => goTo(node)}>{node}</TextButton>
        <Status tone={TONES[action]}>{t(`plan.${action}`)}</Status>
      </span>
      <p className={styles.soft}>
        <ServiceText english={message} phrases={message_phrases} />
        {action === 'run' && estimate_seconds !== null && ` · ${format.duration(estimate_seconds)}`}
      </p>
      {changes.length > 0 && (
        <p>{changes.map(({ what, name }) => t(`change.${what}`, { name })).join(', ')}</p>
      )}
    </>
  )
}
