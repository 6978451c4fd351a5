import { type ReactNode, useMemo, useState } from 'react'
import { SearchField } from '../components/field'
import { forms } from '../text/forms'
import { useText } from '../text/use-text'
import styles from './config-form.module.css'
import { change, type Draft, valueAt } from './document'
import { FieldView, words } from './field-view'
import type { Field } from './schema'

interface ConfigFormProps {
  readonly fields: readonly Field[]
  /** Dotted paths of those that stand above the rest, in this order. */
  readonly first: readonly string[]
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  /** Dotted path → what is wrong there. */
  readonly problems: ReadonlyMap<string, string>
  readonly picker?: (field: Field, onPick: (path: string) => void) => ReactNode
}

/**
 * A configuration as a form: the keys that everyone sets stand first, the others are folded by topic and found by searching. A topic
 * opens by itself where something in it is wrong.
 */
export function ConfigForm(props: ConfigFormProps) {
  const { fields, first, draft, problems } = props
  const t = useText(forms)
  const [searched, setSearched] = useState('')
  const leaves = useMemo(() => leavesOf(fields), [fields])
  const leading = first.flatMap((path) => leaves.find((field) => pathOf(field) === path) ?? [])
  const rest = leaves.filter((field) => !first.includes(pathOf(field)))
  const found = searched.trim() === '' ? null : leaves.filter((field) => matches(field, searched))
  return (
    <div className={styles.form}>
      <div className={styles.fields}>
        {leading.map((field) => (
          <Placed key={pathOf(field)} field={field} {...props} />
        ))}
      </div>
      <SearchField label={t('search')} value={searched} onChange={setSearched} />
      {found ? (
        <div className={styles.fields}>
          <p role="status" className={styles.count}>
            {t('found', { count: found.length })}
          </p>
          {found.map((field) => (
            <Placed key={pathOf(field)} field={field} {...props} />
          ))}
        </div>
      ) : (
        topicsOf(rest).map(({ name, members }) => (
          <Topic
            key={name}
            name={name}
            set={members.filter(({ path }) => valueAt(draft.value, path) !== undefined).length}
            wrong={members.some((field) => problems.has(pathOf(field)))}
          >
            {members.map((field) => (
              <Placed key={pathOf(field)} field={field} {...props} />
            ))}
          </Topic>
        ))
      )}
    </div>
  )
}

function Placed({ field, draft, onChange, problems, picker }: { readonly field: Field } & ConfigFormProps) {
  return (
    <FieldView
      field={field}
      value={valueAt(draft.value, field.path)}
      onChange={(value) => onChange(change(draft, field.path, value))}
      error={problems.get(pathOf(field))}
      picker={picker}
    />
  )
}

function Topic({
  name,
  set,
  wrong,
  children,
}: {
  readonly name: string
  readonly set: number
  readonly wrong: boolean
  readonly children: ReactNode
}) {
  const [opened, setOpened] = useState(false)
  return (
    <details
      className={styles.topic}
      open={opened || wrong}
      onToggle={({ currentTarget }) => setOpened(currentTarget.open)}
    >
      <summary className={styles.summary}>
        {words(name)}
        {set > 0 && <span className={styles.count}>{set}</span>}
      </summary>
      {(opened || wrong) && <div className={styles.fields}>{children}</div>}
    </details>
  )
}

/** Fields without fields, in their order; a group stands for its members. */
export function leavesOf(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => (field.kind === 'group' ? leavesOf(field.fields) : [field]))
}

export function pathOf({ path }: Pick<Field, 'path'>): string {
  return path.join('.')
}

/** By the section that they belong to; keys of the root are a topic of their own. */
function topicsOf(fields: readonly Field[]): { name: string; members: Field[] }[] {
  const topics = new Map<string, Field[]>()
  for (const field of fields) {
    const name = field.path[0] ?? ''
    topics.set(name, [...(topics.get(name) ?? []), field])
  }
  return [...topics].map(([name, members]) => ({ name, members }))
}

function matches(field: Field, searched: string): boolean {
  const text = `${pathOf(field)} ${words(field.path.at(-1) ?? '')} ${field.help ?? ''}`.toLowerCase()
  return searched
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
