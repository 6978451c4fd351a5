import type { ErrorIssue, TrainingCheck } from '@medloom/contracts'
import type { ReactNode } from 'react'
import { Icon } from '../../components/icon'
import { Remedy } from '../../components/said'
import { Status } from '../../components/status'
import { type Figures, NONE, useFigures } from '../../text/figures'
import { train } from '../../text/train'
import { type Say, useText } from '../../text/use-text'
import styles from './outlook.module.css'
import { timeInWords } from './time-in-words'
import type { Checked } from './use-check'

type Words = Say<(typeof train)['en']>

/** What the training would be, and what stands in its way: beside the button that starts it. */
export function Outlook({
  checked,
  issues,
  isEmpty,
}: {
  readonly checked: Checked
  readonly issues: readonly ErrorIssue[]
  /** Nothing was set yet. */
  readonly isEmpty: boolean
}) {
  const t = useText(train)
  const figures = useFigures()
  const { check, isCurrent, error } = checked
  return (
    <section aria-label={t('outlook')} className={styles.outlook} data-old={!isCurrent}>
      <p role="status" className={styles.state}>
        {isEmpty ? t('outlook.empty') : stateOf(checked, t)}
      </p>
      {error && <p>{t('outlook.failed', { message: error.message })}</p>}
      {check?.config && (
        <dl className={styles.facts}>
          {factsOf(check, t, figures).map(({ name, value, more }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
              {more && <dd className={styles.more}>{more}</dd>}
            </div>
          ))}
        </dl>
      )}
      <Issues issues={issues} />
      {check?.data && <Roles data={check.data} />}
    </section>
  )
}

function stateOf({ check, isCurrent }: Checked, t: Words): ReactNode {
  if (!check || !isCurrent) return <Status tone="waiting">{t('outlook.checking')}</Status>
  if (check.trainer.state === 'failed')
    return <Status tone="bad">{t('outlook.trainer', { reason: check.trainer.reason ?? '' })}</Status>
  if (!check.ok) return <Status tone="bad">{t('outlook.wrong', { count: errorsOf(check) })}</Status>
  if (check.trainer.state === 'working') return <Status tone="running">{t('outlook.reading')}</Status>
  return <Status tone="good">{t('outlook.ok')}</Status>
}

function errorsOf({ issues }: TrainingCheck): number {
  return issues.filter(({ severity }) => severity !== 'warning').length
}

interface Fact {
  readonly name: string
  readonly value: string
  readonly more?: string | undefined
}

function factsOf({ time, memory, model, networks, data }: TrainingCheck, t: Words, figures: Figures): Fact[] {
  const cases = data?.splits.train?.cases
  return [
    { name: t('time'), ...timeInWords(time, t, figures) },
    {
      name: t('memory'),
      value: memory ? t('about', { value: figures.bytes(memory.bytes) }) : NONE,
      more: memory?.available_bytes
        ? t('memory.of', { device: memory.device, total: figures.bytes(memory.available_bytes) })
        : undefined,
    },
    { name: t('networks'), value: networks === null ? NONE : figures.count(networks) },
    {
      name: t('parameters'),
      value: model
        ? model.exact
          ? figures.count(model.parameters)
          : t('about', { value: figures.count(model.parameters) })
        : NONE,
    },
    { name: t('cases'), value: cases === undefined ? NONE : figures.count(cases) },
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
            {issue.path && <code>{issue.path}</code>} {issue.message}{' '}
            <span className={styles.more}>
              <Remedy code={issue.code} english={issue.hint} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Which columns the model reads as what, and why not the others. */
function Roles({ data }: { readonly data: NonNullable<TrainingCheck['data']> }) {
  const t = useText(train)
  const label = [data.label_column, ...(data.label_columns ?? []), ...data.time_columns]
  const roles = [
    [t('role.label'), label.filter((name) => name !== null)],
    [t('role.patient'), data.patient_column === null ? [] : [data.patient_column]],
    [t('role.images'), data.image_columns],
    [t('role.numeric'), data.numeric_columns],
    [t('role.categorical'), data.categorical_columns],
    [t('role.ignored'), Object.keys(data.ignored_columns)],
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
      {data.warnings.length > 0 && (
        <ul>
          {data.warnings.map(({ code, message }) => (
            <li key={`${code} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
    </details>
  )
}
