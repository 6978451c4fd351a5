import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../components/button'
import { ComboField } from '../components/combo-field'
import { Checkbox, TextField } from '../components/field'
import { Select } from '../components/select'
import { FilePicker } from '../files/file-picker'
import { forms } from '../text/forms'
import { type Translate, useText } from '../text/use-text'
import { DatasetField } from './dataset-field'
import styles from './field-view.module.css'
import { formatInput, parseInput, toYaml } from './input-text'
import { ModelField } from './model-field'
import type { Field } from './schema'

export interface FieldState {
  /** undefined: not set, so that the default applies. */
  readonly value: unknown
  /** undefined removes the key. */
  readonly onChange: (value: unknown) => void
  /** Error of the service for this field. */
  readonly error?: string | undefined
}

/** One key of a configuration: its name, meaning, range and default, and whether the value differs from the default. */
export function FieldView({ field, ...state }: { readonly field: Field } & FieldState) {
  const t = useText(forms)
  const name = titleOf(field)
  const differs = differsFromDefault(field, state.value)
  return (
    <div className={styles.field} data-differs={differs}>
      <div className={styles.input}>
        <FieldInput field={field} name={name} {...state} />
        {differs && (
          <Button
            kind="quiet"
            icon="close"
            aria-label={t('reset', { name })}
            onPress={() => state.onChange(undefined)}
          />
        )}
      </div>
      {differs && <span className="visually-hidden">{t('changed')}</span>}
    </div>
  )
}

/** Reports whether the value differs from the one that applies by default. */
export function differsFromDefault(field: Pick<Field, 'required' | 'default'>, value: unknown): boolean {
  if (field.required || value === undefined) return false
  return toYaml(value) !== toYaml(field.default ?? null)
}

function FieldInput({
  field,
  name,
  value,
  onChange,
  error,
}: { readonly field: Field; readonly name: string } & FieldState) {
  const t = useText(forms)
  const label = `${name}${field.required ? ` (${t('required')})` : ''}`
  const hint = <Hint field={field} />
  if (field.kind === 'switch')
    return (
      <div className={styles.switch}>
        <Checkbox
          isSelected={(value ?? field.default) === true}
          onChange={(on) => onChange(on === field.default ? undefined : on)}
        >
          {label}
        </Checkbox>
        <HintAndError error={error}>{hint}</HintAndError>
      </div>
    )
  if (field.kind === 'choice')
    return (
      <div className={styles.switch}>
        <Select
          label={label}
          choices={choicesWithDefault(field, t)}
          value={typeof value === 'string' ? value : ''}
          onChange={(next) => onChange(next === '' ? undefined : next)}
        />
        <HintAndError error={error}>{hint}</HintAndError>
      </div>
    )
  if (field.kind === 'choices')
    return <Choices field={field} label={label} value={value} onChange={onChange} error={error} />
  return (
    <TypedInput field={field} label={label} hint={hint} value={value} onChange={onChange} error={error} />
  )
}

/** Kinds with several lines of input. */
const LINES: Partial<Record<Field['kind'], number>> = { texts: 3, record: 4 }

/** Type of path in the contract → entries that the file picker offers. */
const ACCEPTED: Readonly<Record<string, 'table' | 'folder' | 'any'>> = {
  table: 'table',
  folder: 'folder',
  file: 'any',
}

/** A text input. Text that is not a valid value yet stays in the field and shows the reason. */
function TypedInput({
  field,
  label,
  hint,
  value,
  onChange,
  error,
}: { readonly field: Field; readonly label: string; readonly hint: ReactNode } & FieldState) {
  const t = useText(forms)
  const set = formatInput(field, value)
  const [typed, setTyped] = useState(set)
  // Text with the same meaning is not replaced while the user types: "1e-4" does not become "0.0001".
  useEffect(() => {
    setTyped((before) => {
      const read = parseInput(field, before)
      return read.ok && formatInput(field, read.value) === set ? before : set
    })
  }, [field, set])
  const read = parseInput(field, typed)
  const type = (next: string) => {
    setTyped(next)
    const result = parseInput(field, next)
    if (result.ok) onChange(result.value)
  }
  const inputProps = {
    label,
    hint,
    value: typed,
    onChange: type,
    error: read.ok ? error : t(read.problem),
    placeholder:
      field.default === undefined || field.default === null ? '' : formatInput(field, field.default),
  }
  if (field.namesPath === 'dataset') return <DatasetField {...inputProps} />
  if (field.namesPath === 'model') return <ModelField {...inputProps} />
  const accepted = ACCEPTED[field.namesPath ?? '']
  if (accepted !== undefined) return <FilePicker {...inputProps} accepts={accepted} />
  if (field.options.length > 0) return <ComboField {...inputProps} options={field.options} />
  return <TextField {...inputProps} lines={LINES[field.kind] ?? 1} />
}

function Choices({
  field,
  label,
  value,
  onChange,
  error,
}: { readonly field: Field; readonly label: string } & FieldState) {
  const current = value ?? field.default
  const chosen = Array.isArray(current) ? (current as string[]) : []
  const choose = (choice: string, on: boolean) =>
    onChange(field.choices.filter((known) => (known === choice ? on : chosen.includes(known))))
  return (
    <fieldset className={styles.choices}>
      <legend>{label}</legend>
      {field.choices.map((choice) => (
        <Checkbox key={choice} isSelected={chosen.includes(choice)} onChange={(on) => choose(choice, on)}>
          {choice}
        </Checkbox>
      ))}
      <HintAndError error={error}>
        <Hint field={field} />
      </HintAndError>
    </fieldset>
  )
}

function HintAndError({
  error,
  children,
}: {
  readonly error?: string | undefined
  readonly children: ReactNode
}) {
  return (
    <div className={styles.hint}>
      {children}
      {error && (
        <span role="alert" className={styles.error}>
          {error}
        </span>
      )}
    </div>
  )
}

/** Description, followed by range and default. */
function Hint({ field }: { readonly field: Field }) {
  const t = useText(forms)
  const low = field.minimum === null ? null : String(field.minimum)
  const high = field.maximum === null ? null : String(field.maximum)
  // The key remains visible, because files and messages use it.
  const key = field.path.at(-1) ?? ''
  const facts = [
    low !== null && high !== null && t('range', { low, high }),
    low !== null && high === null && t('rangeFrom', { low }),
    low === null && high !== null && t('rangeTo', { high }),
    field.default !== undefined && field.default !== null && t('default', { value: toYaml(field.default) }),
    field.kind === 'texts' && t('list'),
    (field.kind === 'value' || field.kind === 'record') && t('value'),
  ].filter((fact) => fact !== false)
  return (
    <>
      {field.help}
      <span className={styles.facts}>
        {' · '}
        <code>{key}</code>
        {facts.map((fact) => ` · ${fact}`)}
      </span>
    </>
  )
}

function choicesWithDefault(field: Field, t: Translate<(typeof forms)['en']>) {
  const standard =
    field.default === undefined || field.default === null
      ? t('none')
      : t('default', { value: String(field.default) })
  const unset = field.required ? [] : [{ value: '', label: standard }]
  return [...unset, ...field.choices.map((choice) => ({ value: choice, label: choice }))]
}

/** Display name of a field. */
export function titleOf({ label, path }: Pick<Field, 'label' | 'path'>): string {
  return label ?? humanize(path.at(-1) ?? '')
}

/** "val_fraction" → "Val fraction". */
export function humanize(key: string): string {
  const text = key.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
