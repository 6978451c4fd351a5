import { MedloomError } from '@medloom/client'
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { Select } from '../../components/select'
import { useServiceText } from '../../components/service-text'
import { useContractText } from '../../text/contracts'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import styles from './case-filters.module.css'
import type { DatasetViewProps } from './view-props'

const ALL = ''

/** Filters of the cases: split, class and condition. error: error of the list, shown at the condition if it concerns the condition. */
export function CaseFilters({
  dataset,
  search,
  onChange,
  error,
  children,
}: DatasetViewProps & { readonly error: Error | null; readonly children?: ReactNode }) {
  const t = useText(text)
  const splits = Object.keys(dataset.splits)
  const classes = dataset.task === 'classification' ? (dataset.classes ?? []) : []
  return (
    <search className={styles.filters}>
      {splits.length > 0 && (
        <Select
          label={t('cases.split')}
          choices={[
            { value: ALL, label: t('cases.split.all') },
            ...splits.map((value) => ({ value, label: value })),
          ]}
          value={search.split ?? ALL}
          onChange={(split) => onChange({ split: split === ALL ? undefined : split })}
        />
      )}
      {classes.length > 0 && (
        <Select
          label={t('cases.class')}
          choices={[
            { value: ALL, label: t('cases.class.all') },
            ...classes.map(({ name }) => ({ value: name, label: name })),
          ]}
          value={search.class ?? ALL}
          onChange={(name) => onChange({ class: name === ALL ? undefined : name })}
        />
      )}
      <Condition
        value={search.filter ?? ''}
        error={useFilterError(error)}
        onChange={(filter) => onChange({ filter: filter === '' ? undefined : filter })}
      />
      {children}
      {search.patient !== undefined && (
        <Button icon="close" onPress={() => onChange({ patient: undefined })}>
          {t('cases.patient.only', { number: search.patient })}
        </Button>
      )}
    </search>
  )
}

/** Applied on Enter or when the field loses focus, because an incomplete condition is invalid. */
function Condition({
  value,
  error,
  onChange,
}: {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}) {
  const t = useText(text)
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const apply = () => {
    if (typed.trim() !== value) onChange(typed.trim())
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the events of the field inside
    <div
      className={styles.condition}
      onBlur={apply}
      onKeyDown={(event: KeyboardEvent) => event.key === 'Enter' && apply()}
    >
      <TextField
        label={t('cases.filter')}
        value={typed}
        onChange={setTyped}
        error={error}
        hint={t('cases.filter.hint')}
      />
    </div>
  )
}

function useFilterError(error: Error | null): string | undefined {
  const service = useServiceText()
  const contract = useContractText()
  if (!(error instanceof MedloomError) || error.code !== 'FILTER_INVALID') return undefined
  const { words, english } = contract.remedy(error.code, error.details, error.phrases.details)
  return [service(error.message, error.phrases.message), words, english].filter(Boolean).join(' ')
}
