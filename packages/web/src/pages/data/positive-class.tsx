import type { Inspection } from '@medloom/contracts'
import { Select } from '../../components/select'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'

const INFERRED = ''

/** Selection of the positive class; renders nothing unless there are two classes. chosen: null, as inferred. */
export function PositiveClass({
  found,
  chosen,
  onChange,
}: {
  readonly found: Inspection
  readonly chosen: string | null
  readonly onChange: (name: string | null) => void
}) {
  const t = useText(text)
  const classes = found.task === 'classification' ? (found.classes ?? []) : []
  if (classes.length !== 2) return null
  return (
    <Select
      label={t('roles.positive')}
      value={chosen ?? INFERRED}
      choices={[
        { value: INFERRED, label: `${t('roles.positive.inferred')}: ${found.positive_class ?? ''}` },
        ...classes.map(({ name }) => ({ value: name, label: name })),
      ]}
      onChange={(name) => onChange(name === INFERRED ? null : name)}
    />
  )
}
