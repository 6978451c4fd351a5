import type { CasesPage } from '@medloom/contracts'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { routeQuery } from '../../app/service'
import { ErrorNotice } from '../../components/boundary'
import { Button } from '../../components/button'
import { type Column, DataTable, type Sorting } from '../../components/data-table'
import { Icon } from '../../components/icon'
import { EmptyState } from '../../components/panel'
import { Skeleton } from '../../components/skeleton'
import { TextButton } from '../../components/text-button'
import { data as text } from '../../text/data'
import { type Formatters, NONE, useFormatters } from '../../text/formatters'
import { type Translate, useText } from '../../text/use-text'
import { CaseFilters } from './case-filters'
import { useCases } from './case-list'
import styles from './cases.module.css'
import { ColumnsButton } from './columns-button'
import type { DatasetViewProps } from './view-props'

type Case = CasesPage['cases'][number]

/** Number of columns that are shown initially; a table may have thousands. */
const USUAL_COLUMNS = 12

/** The cases in the form that a training reads: filtered and sorted by the service, with identifiers only on request. */
export function Cases(props: DatasetViewProps) {
  const t = useText(text)
  const { dataset, search, onChange } = props
  // Not part of the address, so that a link reveals no identifiers.
  const [identifiers, setIdentifiers] = useState(false)
  const { data: session } = useQuery(routeQuery('getSession', {}))
  const chosen = search.columns ?? dataset.columns.slice(0, USUAL_COLUMNS).map(({ name }) => name)
  const list = useCases(dataset, search, { columns: chosen, identifiers })
  const { first } = list
  return (
    <div className={styles.page}>
      <CaseFilters {...props} error={list.error}>
        <ColumnsButton
          columns={dataset.columns.map(({ name }) => name)}
          chosen={chosen}
          onChange={(columns) => onChange({ columns })}
        />
        {session?.identifiers && (
          <Button icon={identifiers ? 'close' : 'info'} onPress={() => setIdentifiers(!identifiers)}>
            {t(identifiers ? 'cases.identifiers.hide' : 'cases.identifiers.show')}
          </Button>
        )}
      </CaseFilters>
      {first && (
        <p role="status" className={styles.count}>
          {t('cases.count', { total: first.total, all: first.num_cases })}
          {identifiers && ` · ${t('cases.identifiers.note')}`}
        </p>
      )}
      {list.isPending && <Skeleton height={24} />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {first && !list.isError && <CaseTable {...props} page={first} cases={list.items} onMore={list.more} />}
    </div>
  )
}

function CaseTable({
  search,
  onChange,
  page,
  cases,
  onMore,
}: DatasetViewProps & {
  readonly page: CasesPage
  readonly cases: readonly Case[]
  readonly onMore: () => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const columns = useMemo(() => columnsOf(page, t, format, onChange), [page, t, format, onChange])
  if (page.total === 0) return <NoMatchingCases onChange={onChange} />
  const sorting: Sorting = { by: search.order_by ?? '', order: search.order ?? 'asc' }
  return (
    <DataTable
      label={t('cases.label')}
      columns={columns}
      rows={cases}
      rowKey={({ row }) => String(row)}
      rowName={({ row }) => String(row)}
      total={page.total}
      onMore={onMore}
      sorting={sorting}
      onSort={({ by, order }) => onChange({ order_by: by, order: order === 'desc' ? order : undefined })}
    />
  )
}

/** No case matches the filters. */
export function NoMatchingCases({ onChange }: Pick<DatasetViewProps, 'onChange'>) {
  const t = useText(text)
  const clear = () => onChange({ split: undefined, class: undefined, patient: undefined, filter: undefined })
  return (
    <EmptyState title={t('cases.none')}>
      <Button onPress={clear}>{t('cases.clear')}</Button>
    </EmptyState>
  )
}

function columnsOf(
  { columns }: CasesPage,
  t: Translate<typeof text.en>,
  format: Formatters,
  onChange: DatasetViewProps['onChange'],
): readonly Column<Case>[] {
  return [
    {
      id: '\0row',
      title: t('cases.row'),
      cell: ({ row, images }) =>
        images.includes(true) ? (
          <TextButton
            aria-label={t('cases.open', { row: row + 1 })}
            onPress={() => onChange({ row, image: images.indexOf(true) })}
          >
            <Icon name="image" />
            {format.count(row + 1)}
          </TextButton>
        ) : (
          format.count(row + 1)
        ),
    },
    {
      id: '\0patient',
      title: t('cases.patient'),
      numeric: true,
      cell: ({ patient }) =>
        patient === null ? (
          NONE
        ) : (
          <TextButton
            aria-label={t('cases.patient.only', { number: patient })}
            onPress={() => onChange({ patient })}
          >
            {format.count(patient)}
          </TextButton>
        ),
    },
    ...columns.map(
      ({ name, role }, index): Column<Case> => ({
        id: name,
        title: name,
        sortKey: name,
        numeric: role === 'numeric',
        cell: ({ values }) => <Value value={values[index] ?? null} missing={t('cases.missing')} />,
      }),
    ),
  ]
}

function Value({ value, missing }: { readonly value: string | number | null; readonly missing: string }) {
  if (value === null) return <span className={styles.missing}>{missing}</span>
  return <bdi title={String(value)}>{String(value)}</bdi>
}
