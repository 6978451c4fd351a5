import type { Dataset, Inspection } from '@medloom/contracts'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { routeQuery } from '../../app/service'
import { type Column, DataTable } from '../../components/data-table'
import { SearchField } from '../../components/field'
import { EmptyState, Panel } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { TextButton } from '../../components/text-button'
import { data as text } from '../../text/data'
import { type Formatters, NONE, useFormatters } from '../../text/formatters'
import { type Translate, useText } from '../../text/use-text'
import { type ClassCounts, classCounts } from './class-counts'
import { DistributionPanel } from './distribution-panel'
import styles from './overview.module.css'
import { recipeYaml } from './proposal/proposal'
import { RecipeText } from './proposal/recipe-text'
import { classesQuery } from './queries'
import { RoleReason } from './role-reason'
import type { DatasetViewProps } from './view-props'

/** Roles of the columns, missing values, and distributions of values and classes. */
export function Overview(props: DatasetViewProps) {
  const t = useText(text)
  const { dataset, search, onChange } = props
  const choose = useCallback((column: string) => onChange({ column }), [onChange])
  return (
    <div className={styles.page}>
      <Facts dataset={dataset} />
      {dataset.recipe && <RecipeText yaml={recipeYaml({ path: dataset.path, recipe: dataset.recipe })} />}
      <Panel title={t('classes.title')} height={10}>
        <Classes dataset={dataset} />
      </Panel>
      <div className={styles.columns}>
        <Panel title={t('columns.title')} height={20}>
          <Columns dataset={dataset} chosen={search.column} onChoose={choose} />
        </Panel>
        {dataset.columns.length > 0 && <DistributionPanel {...props} />}
      </div>
    </div>
  )
}

function Facts({ dataset }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const format = useFormatters()
  const { kind, num_cases, num_patients, task, positive_class, path, created_at, digest } = dataset
  const facts = [
    ['kind', t(`kind.${kind}`)],
    ['cases', format.count(num_cases)],
    ['patients', num_patients === null ? NONE : format.count(num_patients)],
    ['task', t(`task.${task ?? 'none'}`)],
    ...(positive_class ? [['positive', positive_class] as const] : []),
    ['created', format.moment(created_at)],
    ['path', path],
    ['digest', digest.slice(0, 12)],
  ] as const
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{t(`fact.${name}`)}</dt>
          <dd title={name === 'digest' ? digest : undefined}>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Classes({ dataset }: { readonly dataset: Dataset }) {
  if (dataset.task === 'classification') return <ClassesBySplit dataset={dataset} />
  return <ClassTotals dataset={dataset} />
}

function ClassesBySplit({ dataset }: { readonly dataset: Dataset }) {
  const { data } = useSuspenseQuery(routeQuery('getDistribution', classesQuery(dataset)))
  return <ClassTable counts={classCounts(data.groups)} />
}

function ClassTable({ counts }: { readonly counts: ClassCounts }) {
  const t = useText(text)
  const format = useFormatters()
  const { splits, classes } = counts
  return (
    <PlainTable
      label={t('classes.title')}
      head={[
        t('classes.class'),
        ...(splits.length > 1 ? splits.map((split) => split ?? t('split.none')) : []),
        t('classes.total'),
      ]}
      rows={classes.map(({ name, cases, total }) => ({
        key: name ?? '',
        cells: [
          <bdi key="name">{name ?? t('classes.none')}</bdi>,
          ...(splits.length > 1 ? cases.map(format.count) : []),
          format.count(total),
        ],
      }))}
    />
  )
}

/** For multilabel data the number of positive cases per label; for survival data the number of events. */
function ClassTotals({ dataset: { classes } }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const format = useFormatters()
  if (!classes) return <EmptyState title={t('classes.unknown')} />
  return (
    <PlainTable
      label={t('classes.title')}
      head={[t('classes.class'), t('classes.total')]}
      rows={classes.map(({ name, count }) => ({
        key: name,
        cells: [<bdi key="name">{name}</bdi>, format.count(count)],
      }))}
    />
  )
}

function Columns({
  dataset,
  chosen,
  onChoose,
}: {
  readonly dataset: Dataset
  readonly chosen: string | undefined
  readonly onChoose: (column: string) => void
}) {
  const t = useText(text)
  const format = useFormatters()
  const [searchTerm, setSearchTerm] = useState('')
  const columns = useMemo(
    () => columnsOf(t, format, dataset.num_cases, chosen, onChoose),
    [t, format, dataset.num_cases, chosen, onChoose],
  )
  if (dataset.columns.length === 0) return <EmptyState title={t('columns.none')} />
  const rows = dataset.columns.filter(({ name }) => name.toLowerCase().includes(searchTerm.toLowerCase()))
  return (
    <>
      <SearchField label={t('columns.search')} value={searchTerm} onChange={setSearchTerm} />
      <DataTable
        label={t('columns.title')}
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
        rowName={({ name }) => name}
        total={rows.length}
      />
    </>
  )
}

function columnsOf(
  t: Translate<typeof text.en>,
  format: Formatters,
  cases: number,
  chosen: string | undefined,
  onChoose: (column: string) => void,
): readonly Column<Inspection['columns'][number]>[] {
  return [
    {
      id: 'name',
      title: t('columns.name'),
      cell: ({ name }) => (
        <TextButton aria-current={name === chosen} onPress={() => onChoose(name)}>
          <bdi>{name}</bdi>
        </TextButton>
      ),
    },
    {
      id: 'role',
      title: t('columns.role'),
      cell: ({ role }) => t(`role.${role}`),
    },
    {
      id: 'missing',
      title: t('columns.missing'),
      numeric: true,
      cell: ({ missing }) => {
        const share = cases === 0 ? 0 : missing / cases
        return (
          <span className={styles.missing}>
            {format.percent(share)}
            <span className={styles.track}>
              <span className={styles.share} style={{ inlineSize: `${100 * share}%` }} />
            </span>
          </span>
        )
      },
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
