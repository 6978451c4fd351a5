import type { FocusEvent, ReactNode } from 'react'
import {
  Button as AriaButton,
  SearchField as AriaSearchField,
  TextField as AriaTextField,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from 'react-aria-components'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import styles from './field.module.css'
import { Icon } from './icon'

type Selectable = HTMLInputElement | HTMLTextAreaElement

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Text field with one or several lines. hint: the expected input. error: the reason why the input is invalid. */
export function TextField({
  label,
  hint,
  error,
  lines = 1,
  value,
  onChange,
  type = 'text',
  inputMode,
  isDisabled = false,
  autoFocus = false,
  isSelected = false,
  placeholder,
}: FieldProps & {
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly lines?: number
  readonly type?: 'text' | 'password' | 'date'
  /** Keyboard of a phone. */
  readonly inputMode?: 'decimal'
  readonly isDisabled?: boolean
  readonly autoFocus?: boolean
  /** Focused with all text selected, for copying by hand. */
  readonly isSelected?: boolean
  readonly placeholder?: string
}) {
  const inputProps = {
    className: styles.input ?? '',
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(inputMode === undefined ? {} : { inputMode }),
    ...(isSelected ? { onFocus: ({ target }: FocusEvent<Selectable>) => target.select() } : {}),
  }
  return (
    <AriaTextField
      className={styles.field ?? ''}
      value={value}
      onChange={onChange}
      type={type}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      autoFocus={autoFocus || isSelected}
    >
      <Label className={styles.label ?? ''}>{label}</Label>
      {lines > 1 ? <TextArea {...inputProps} rows={lines} /> : <Input {...inputProps} />}
      {hint && (
        <Text slot="description" className={styles.hint ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error ?? ''}>{error}</FieldError>
    </AriaTextField>
  )
}

/** Search field for the content below. Screen readers use the label; others see the icon. */
export function SearchField({ label, value, onChange }: FieldProps) {
  const t = useText(parts)
  return (
    <AriaSearchField className={styles.search ?? ''} aria-label={label} value={value} onChange={onChange}>
      {({ isEmpty }) => (
        <>
          <Icon name="search" />
          <Input className={styles.input ?? ''} placeholder={label} />
          {!isEmpty && (
            <AriaButton aria-label={t('clear')}>
              <Icon name="close" />
            </AriaButton>
          )}
        </>
      )}
    </AriaSearchField>
  )
}

/** Checkbox. A box without text needs an aria-label. */
export function Checkbox({
  children,
  label,
  isSelected,
  isIndeterminate = false,
  onChange,
}: {
  readonly children?: ReactNode
  readonly label?: string
  readonly isSelected: boolean
  readonly isIndeterminate?: boolean
  readonly onChange: (isSelected: boolean) => void
}) {
  return (
    <label className={styles.toggle}>
      <input
        type="checkbox"
        checked={isSelected}
        ref={(box) => {
          // HTML has no attribute for this state.
          if (box) box.indeterminate = isIndeterminate
        }}
        onChange={({ target }) => onChange(target.checked)}
        {...(label === undefined ? {} : { 'aria-label': label })}
      />
      {children}
    </label>
  )
}
