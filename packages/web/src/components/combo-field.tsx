import type { ReactNode } from 'react'
import {
  ComboBox as AriaComboBox,
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
} from 'react-aria-components'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import styles from './combo-field.module.css'
import fields from './field.module.css'
import { Icon } from './icon'
import select from './select.module.css'

/** Text field with suggestions, filtered by the input; any other text is accepted too. */
export function ComboField({
  label,
  hint,
  error,
  value,
  onChange,
  options,
  placeholder = '',
}: {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly string[]
  readonly placeholder?: string
}) {
  const t = useText(parts)
  return (
    <AriaComboBox
      className={styles.field ?? ''}
      inputValue={value}
      onInputChange={onChange}
      // Selected only while the text equals an option, so that leaving the field preserves the input.
      selectedKey={options.includes(value) ? value : null}
      onSelectionChange={(key) => key !== null && onChange(String(key))}
      allowsCustomValue
      menuTrigger="input"
      isInvalid={error !== undefined}
    >
      <Label className={fields.label ?? ''}>{label}</Label>
      <div className={styles.line}>
        <Input className={fields.input ?? ''} placeholder={placeholder} />
        <Button className={styles.open ?? ''} aria-label={t('choices', { name: label })}>
          <Icon name="down" />
        </Button>
      </div>
      {hint && (
        <Text slot="description" className={fields.hint ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={fields.error ?? ''}>{error}</FieldError>
      <Popover className={select.popover ?? ''}>
        <ListBox className={select.list ?? ''}>
          {options.map((option) => (
            <ListBoxItem key={option} id={option} className={select.item ?? ''}>
              {option}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaComboBox>
  )
}
