import { EPOCH_SUMMARY } from '@medloom/contracts/plain'
import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components'
import { Icon } from '../../components/icon'
import styles from '../../components/select.module.css'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { runs } from '../../text/runs'
import { useText } from '../../text/use-text'
import { COLUMNS, type ColumnId, defaultColumns, type RunsSearch } from './search'

/** Metrics that most trainings have; others are added by an address or a comparison. */
const METRICS = [...EPOCH_SUMMARY, 'train_loss'].map((name): ColumnId => `metrics.${name}`)

/** Selection of the columns of the table. */
export function ColumnSelect({
  search,
  hasOwners,
  onChange,
}: {
  readonly search: RunsSearch
  readonly hasOwners: boolean
  readonly onChange: (changes: Partial<RunsSearch>) => void
}) {
  const t = useText(runs)
  const nameOf = useMetricNames()
  const chosen = search.columns ?? defaultColumns(hasOwners)
  const offered = COLUMNS.filter((id) => hasOwners || id !== 'owner')
  const ids = [...new Set<ColumnId>([...chosen, ...METRICS, ...offered])]
  const choose = (keys: ReadonlySet<ColumnId>) => onChange({ columns: ids.filter((id) => keys.has(id)) })
  return (
    <Select
      className={styles.select ?? ''}
      selectionMode="multiple"
      value={[...chosen]}
      onChange={(keys) => choose(new Set(keys as ColumnId[]))}
    >
      <Label className={styles.label ?? ''}>{t('columns')}</Label>
      <Button className={styles.button ?? ''}>
        <SelectValue className={styles.value ?? ''}>{() => `${chosen.length}`}</SelectValue>
        <Icon name="down" />
      </Button>
      <Popover className={styles.popover ?? ''}>
        <ListBox className={styles.list ?? ''}>
          {ids.map((id) => (
            <ListBoxItem key={id} id={id} textValue={id} className={styles.item ?? ''}>
              {({ isSelected }) => (
                <>
                  {isSelected ? '✓ ' : '  '}
                  {id.startsWith('metrics.')
                    ? nameOf(id.slice('metrics.'.length))
                    : t(`column.${id as (typeof COLUMNS)[number]}`)}
                </>
              )}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  )
}
