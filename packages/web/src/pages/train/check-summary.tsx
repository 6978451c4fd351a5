import type { ErrorIssue, TrainingCheck } from '@medloom/contracts'
import type { ReactNode } from 'react'
import { Icon } from '../../components/icon'
import { IssueRemedy, IssueText, useServiceText } from '../../components/service-text'
import { Status } from '../../components/status'
import { WarningText } from '../../components/warning-text'
import { type Formatters, NONE, useFormatters } from '../../text/formatters'
import { train } from '../../text/train'
import { type Translate, useText } from '../../text/use-text'
import styles from './check-summary.module.css'
import { formatTimeEstimate } from './format-time-estimate'
import type { CheckState } from './use-check'

type Words = Translate<(typeof train)['en']>

/** Estimates of the training and problems that prevent its start, next to the start button. */
export function CheckSummary({
  checked,
  issues,
  isEmpty,
}: {
  readonly checked: CheckState
  readonly issues: readonly ErrorIssue[]
  /** Nothing has been set yet. */
  readonly isEmpty: boolean
}) {
  const t = useText(train)
  const format = useFormatters()
  const say = useServiceText()
  const { check, isCurrent, error } = checked
  return (
    <section aria-label={t('outlook')} className={styles.outlook} data-old={!isCurrent}>
      <p role="status" className={styles.state}>
        {isEmpty ? t('outlook.empty') : stateOf(checked, t, say)}
      </p>
      {error && <p>{t('outlook.failed', { message: error.message })}</p>}
      <dl className={styles.facts}>
        {factsOf(check?.config ? check : undefined, t, format).map(({ name, value, more }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
            {more && <dd className={styles.more}>{more}</dd>}
          </div>
        ))}
      </dl>
      <Issues issues={issues} />
      <Roles data={check?.data ?? null} />
    </section>
  )
}

function stateOf(
  { check, isCurrent }: CheckState,
  t: Words,
  say: ReturnType<typeof useServiceText>,
): ReactNode {
  if (!check || !isCurrent) return <Status tone="waiting">{t('outlook.checking')}</Status>
  if (check.trainer.state === 'failed')
    return (
      <Status tone="bad">
        {t('outlook.trainer', { reason: say(check.trainer.reason ?? '', check.trainer.reason_phrases) })}
      </Status>
    )
  if (!check.ok) return <Status tone="bad">{t('outlook.wrong', { count: errorsOf(check) })}</Status>
  if (check.trainer.state === 'working') return <Status tone="running">{t('outlook.reading')}</Status>
  return <Status tone="good">{t('outlook.ok')}</Status>
}

function errorsOf({ issues }: TrainingCheck): number {
  return issues.filter(({ severity }) => severity !== 'warning').length
}

const NOTHING_KNOWN = { value: NONE, more: '\u00a0' }

interface Fact {
  readonly name: string
  readonly value: string
  readonly more?: string | undefined
}

/** Before the first check, the same facts appear without values, so that nothing moves. */
function factsOf(check: TrainingCheck | undefined, t: Words, format: Formatters): Fact[] {
  const { time, memory, model, networks = null, data } = check ?? {}
  const cases = data?.splits.train?.cases
  return [
    { name: t('time'), ...(time ? formatTimeEstimate(time, t, format) : NOTHING_KNOWN) },
    {
      name: t('memory'),
      value: memory ? t('about', { value: format.bytes(memory.bytes) }) : NONE,
      more: memory?.available_bytes
        ? t('memory.of', { device: memory.device, total: format.bytes(memory.available_bytes) })
        : undefined,
    },
    { name: t('networks'), value: networks === null ? NONE : format.count(networks) },
    {
      name: t('parameters'),
      value: model
        ? model.exact
          ? format.count(model.parameters)
          : t('about', { value: format.count(model.parameters) })
        : NONE,
    },
    { name: t('cases'), value: cases === undefined ? NONE : format.count(cases) },
  ]
}

export function Issues({ issues }: { readonly issues: readonly ErrorIssue[] }) {
  const t = useText(train)
  if (issues.length === 0) return null
  return (
    <ul className={styles.issues} aria-label={t('issues')}>
      {issues.map((issue) => (
        <li key={`${issue.path} ${issue.code}`} data-warning={issue.severity === 'warning'}>
          <Icon name={issue.severity === 'warning' ? 'info' : 'bad'} />
          <span>
            {issue.path && <code>{issue.path}</code>} <IssueText issue={issue} />{' '}
            <span className={styles.more}>
              <IssueRemedy issue={issue} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Columns by role, and the reasons for ignored ones. */
function Roles({ data }: { readonly data: TrainingCheck['data'] }) {
  const t = useText(train)
  const warnings = data?.warnings ?? []
  const label = data ? [data.label_column, ...(data.label_columns ?? []), ...data.time_columns] : []
  const roles = [
    [t('role.label'), label.filter((name) => name !== null)],
    [t('role.patient'), data?.patient_column ? [data.patient_column] : []],
    [t('role.images'), data?.image_columns ?? []],
    [t('role.numeric'), data?.numeric_columns ?? []],
    [t('role.categorical'), data?.categorical_columns ?? []],
    [t('role.ignored'), Object.keys(data?.ignored_columns ?? {})],
  ] as const
  return (
    <details className={styles.roles}>
      <summary>{t('roles')}</summary>
      <dl>
        {roles.map(([name, columns]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{columns.length === 0 ? NONE : columns.join(', ')}</dd>
          </div>
        ))}
      </dl>
      {warnings.length > 0 && (
        <ul>
          {warnings.map(({ code, message, message_phrases: phrases }) => (
            <li key={`${code} ${message}`}>
              <WarningText {...{ code, message, phrases }} />
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}
