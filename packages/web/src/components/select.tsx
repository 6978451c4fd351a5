import type { ReactNode } from 'react'
import {
  Select as AriaSelect,
  Button,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
} from 'react-aria-components'
import fields from './field.module.css'
import { Icon } from './icon'
import styles from './select.module.css'

export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
}

/** Selection of one value. label: always available to screen readers; `hideLabel` if the context shows it. */
export function Select<Value extends string>({
  label,
  hideLabel = false,
  hint,
  choices,
  value,
  onChange,
  icon,
}: {
  readonly label: string
  readonly hideLabel?: boolean
  readonly hint?: ReactNode
  readonly choices: readonly Choice<Value>[]
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly icon?: ReactNode
}) {
  return (
    <AriaSelect
      className={styles.select ?? ''}
      value={value}
      onChange={(key) => onChange(key as Value)}
      {...(hideLabel ? { 'aria-label': label } : {})}
    >
      {!hideLabel && <Label className={styles.label ?? ''}>{label}</Label>}
      <Button className={styles.button ?? ''}>
        {icon}
        <SelectValue className={styles.value ?? ''} />
        <Icon name="down" />
      </Button>
      {hint && (
        <Text slot="description" className={fields.hint ?? ''}>
          {hint}
        </Text>
      )}
      <Popover className={styles.popover ?? ''}>
        <ListBox className={styles.list ?? ''}>
          {choices.map((choice) => (
            <ListBoxItem key={choice.value} id={choice.value} className={styles.item ?? ''}>
              {choice.label}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
