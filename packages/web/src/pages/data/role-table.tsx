import type { Dataset, Inspection } from '@medloom/contracts'
import { useMemo, useState } from 'react'
import { type Column, DataTable } from '../../components/data-table'
import { SearchField } from '../../components/field'
import { Select } from '../../components/select'
import { data as text } from '../../text/data'
import { type Formatters, useFormatters } from '../../text/formatters'
import { type Translate, useText } from '../../text/use-text'
import { RoleReason } from './role-reason'
import styles from './role-table.module.css'

type DatasetColumn = Inspection['columns'][number]
export type Roles = NonNullable<Dataset['roles']>
type Role = Roles[string]

const INFERRED = ''
const CHOICES = [
  'label',
  'patient',
  'split',
  'image',
  'numeric',
  'categorical',
  'ignored',
] as const satisfies Role[]

/** Each column with its role and the reason; each role can be changed. roles: roles that the user has set. */
export function RoleTable({
  found,
  roles,
  onChange,
}: {
  readonly found: Inspection
  readonly roles: Roles
  readonly onChange: (roles: Roles) => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const [searchTerm, setSearchTerm] = useState('')
  const columns = useMemo(
    () => columnsOf(t, format, found.num_cases, roles, onChange),
    [t, format, found.num_cases, roles, onChange],
  )
  const rows = found.columns.filter(({ name }) => name.toLowerCase().includes(searchTerm.toLowerCase()))
  return (
    <div className={styles.roles}>
      <SearchField label={t('columns.search')} value={searchTerm} onChange={setSearchTerm} />
      <DataTable
        label={t('columns.title')}
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
        rowName={({ name }) => name}
        total={rows.length}
      />
    </div>
  )
}

function columnsOf(
  t: Translate<typeof text.en>,
  format: Formatters,
  cases: number,
  roles: Roles,
  onChange: (roles: Roles) => void,
): readonly Column<DatasetColumn>[] {
  return [
    { id: 'name', title: t('columns.name'), cell: ({ name }) => <bdi>{name}</bdi> },
    {
      id: 'role',
      title: t('columns.role'),
      width: 14,
      cell: (column) => (
        <Select
          label={t('roles.of', { column: column.name })}
          hideLabel
          value={roles[column.name] ?? INFERRED}
          choices={[
            { value: INFERRED, label: t('roles.inferred', { role: t(`role.${column.role}`) }) },
            ...CHOICES.map((value) => ({ value, label: t(`role.${value}`) })),
          ]}
          onChange={(role) => onChange(withRole(roles, column.name, role === INFERRED ? undefined : role))}
        />
      ),
    },
    {
      id: 'missing',
      title: t('columns.missing'),
      numeric: true,
      cell: ({ missing }) => format.percent(cases === 0 ? 0 : missing / cases),
    },
    {
      id: 'distinct',
      title: t('columns.distinct'),
      numeric: true,
      cell: ({ distinct }) => format.count(distinct),
    },
    { id: 'why', title: t('columns.why'), cell: (column) => <RoleReason column={column} /> },
  ]
}

/** Only one column can be the patient or the split column: the new one replaces the previous one. */
function withRole(roles: Roles, column: string, role: Role | undefined): Roles {
  const single = role === 'patient' || role === 'split'
  const others = Object.entries(roles).filter(
    ([name, other]) => name !== column && !(single && other === role),
  )
  return Object.fromEntries(role === undefined ? others : [...others, [column, role]])
}
