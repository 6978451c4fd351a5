import { type ReactNode, useMemo, useState } from 'react'
import { SearchField } from '../components/field'
import { forms } from '../text/forms'
import { useText } from '../text/use-text'
import styles from './config-form.module.css'
import { changeDraft, type Draft, valueAt } from './draft'
import { differsFromDefault, FieldView, humanize } from './field-view'
import { type Problems, problemAt } from './problems'
import { RowsView } from './rows-view'
import { type Field, leavesOf, pathOf } from './schema'

/** Topics that group the fields that are not shown first. */
export interface Topics {
  /** Dotted path of the topic of a field. */
  readonly topicOf: (field: Field) => string
  readonly title: (topic: string) => string
  /** Topics that are initially open. */
  readonly open: readonly string[]
}

interface ConfigFormProps {
  /** Fields with labels in the user's language. */
  readonly fields: readonly Field[]
  /** Dotted paths of the fields above the rest, in this order. */
  readonly first: readonly string[]
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly topics: Topics
  readonly problems: Problems
}

/**
 * A configuration as a form: common keys are shown first, the others are grouped by topic and can be searched. A topic with an error opens
 * automatically.
 */
export function ConfigForm(props: ConfigFormProps) {
  const { first, topics, draft, problems } = props
  const t = useText(forms)
  const [searched, setSearched] = useState('')
  const leaves = useMemo(() => leavesOf(props.fields), [props.fields])
  const leading = first.flatMap((path) => leaves.find((field) => pathOf(field) === path) ?? [])
  const rest = leaves.filter((field) => !first.includes(pathOf(field)))
  const matching = searched.trim() === '' ? null : leaves.filter((field) => matches(field, searched))
  return (
    <div className={styles.form}>
      <div className={styles.fields}>
        {leading.map((field) => (
          <FormField key={pathOf(field)} field={field} {...props} />
        ))}
      </div>
      <SearchField label={t('search')} value={searched} onChange={setSearched} />
      {matching ? (
        <div className={styles.fields}>
          <p role="status" className={styles.count}>
            {t('found', { count: matching.length })}
          </p>
          {matching.map((field) => (
            <FormField key={pathOf(field)} field={field} {...props} />
          ))}
        </div>
      ) : (
        groupByTopic(rest, topics.topicOf).map(({ name, members }) => (
          <Topic
            key={name}
            name={topics.title(name)}
            isOpen={topics.open.includes(name)}
            problem={members.some((field) => pathOf(field) === name) ? undefined : problems.get(name)}
            changed={
              members.filter((field) => differsFromDefault(field, valueAt(draft.value, field.path))).length
            }
            hasError={members.some((field) => problemAt(problems, field) !== undefined)}
          >
            {members.map((field) => (
              <FormField key={pathOf(field)} field={field} {...props} />
            ))}
          </Topic>
        ))
      )}
    </div>
  )
}

function FormField({ field, draft, onChange, problems }: { readonly field: Field } & ConfigFormProps) {
  const state = {
    field,
    value: valueAt(draft.value, field.path),
    onChange: (value: unknown) => onChange(changeDraft(draft, field.path, value)),
  }
  if (field.kind === 'rows') return <RowsView {...state} problems={problems} />
  return <FieldView {...state} error={problemAt(problems, field)} />
}

function Topic({
  name,
  isOpen,
  problem,
  changed,
  hasError: wrong,
  children,
}: {
  readonly name: string
  readonly isOpen: boolean
  /** Error of the topic as a whole, if it is a section. */
  readonly problem: string | undefined
  readonly changed: number
  readonly hasError: boolean
  readonly children: ReactNode
}) {
  const t = useText(forms)
  const [opened, setOpened] = useState(isOpen)
  const shown = opened || wrong || problem !== undefined
  return (
    <details
      className={styles.topic}
      open={shown}
      onToggle={({ currentTarget }) => setOpened(currentTarget.open)}
    >
      <summary className={styles.summary}>
        {name}
        {changed > 0 && <span className={styles.count}>{t('changed.count', { count: changed })}</span>}
      </summary>
      {shown && (
        <div className={styles.fields}>
          {problem && (
            <p role="alert" className={styles.error}>
              {problem}
            </p>
          )}
          {children}
        </div>
      )}
    </details>
  )
}

function groupByTopic(
  fields: readonly Field[],
  topicOf: Topics['topicOf'],
): { name: string; members: Field[] }[] {
  const topics = new Map<string, Field[]>()
  for (const field of fields) {
    const name = topicOf(field)
    topics.set(name, [...(topics.get(name) ?? []), field])
  }
  return [...topics].map(([name, members]) => ({ name, members }))
}

function matches(field: Field, searched: string): boolean {
  const text =
    `${pathOf(field)} ${humanize(field.path.at(-1) ?? '')} ${field.label ?? ''} ${field.help ?? ''}`.toLowerCase()
  return searched
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
