import type { Dataset, Inspection } from '@medloom/contracts'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { read } from '../../app/service'
import { type Column, DataTable } from '../../components/data-table'
import { SearchField } from '../../components/field'
import { Empty, Panel } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { TextButton } from '../../components/text-button'
import { data as text } from '../../text/data'
import { type Figures, NONE, useFigures } from '../../text/figures'
import { type Say, useText } from '../../text/use-text'
import { type ClassCounts, classCounts } from './class-counts'
import { DistributionPanel } from './distribution-panel'
import styles from './overview.module.css'
import { classesQuery } from './queries'
import type { DatasetViewProps } from './view-props'

/** Roles of the columns, missing values, and distributions of values and classes. */
export function Overview(props: DatasetViewProps) {
  const t = useText(text)
  const { dataset, search, onChange } = props
  const choose = useCallback((column: string) => onChange({ column }), [onChange])
  return (
    <div className={styles.page}>
      <Facts dataset={dataset} />
      <Panel title={t('classes.title')} height={10}>
        <Classes dataset={dataset} />
      </Panel>
      <div className={styles.beside}>
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
  const figures = useFigures()
  const { kind, num_cases, num_patients, task, positive_class, path, created_at, digest } = dataset
  const facts = [
    ['kind', t(`kind.${kind}`)],
    ['cases', figures.count(num_cases)],
    ['patients', num_patients === null ? NONE : figures.count(num_patients)],
    ['task', t(`task.${task ?? 'none'}`)],
    ...(positive_class ? [['positive', positive_class] as const] : []),
    ['created', figures.moment(created_at)],
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
  return <ClassesAlone dataset={dataset} />
}

function ClassesBySplit({ dataset }: { readonly dataset: Dataset }) {
  const { data } = useSuspenseQuery(read('getDistribution', classesQuery(dataset)))
  return <ClassTable counts={classCounts(data.groups)} />
}

function ClassTable({ counts }: { readonly counts: ClassCounts }) {
  const t = useText(text)
  const figures = useFigures()
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
          ...(splits.length > 1 ? cases.map(figures.count) : []),
          figures.count(total),
        ],
      }))}
    />
  )
}

/** For multilabel data the number of positive cases per label; for survival data the number of events. */
function ClassesAlone({ dataset: { classes } }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const figures = useFigures()
  if (!classes) return <Empty title={t('classes.unknown')} />
  return (
    <PlainTable
      label={t('classes.title')}
      head={[t('classes.class'), t('classes.total')]}
      rows={classes.map(({ name, count }) => ({
        key: name,
        cells: [<bdi key="name">{name}</bdi>, figures.count(count)],
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
  const figures = useFigures()
  const [wanted, setWanted] = useState('')
  const columns = useMemo(
    () => columnsOf(t, figures, dataset.num_cases, chosen, onChoose),
    [t, figures, dataset.num_cases, chosen, onChoose],
  )
  if (dataset.columns.length === 0) return <Empty title={t('columns.none')} />
  const rows = dataset.columns.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
  return (
    <>
      <SearchField label={t('columns.search')} value={wanted} onChange={setWanted} />
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
  t: Say<typeof text.en>,
  figures: Figures,
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
            {figures.percent(share)}
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
      cell: ({ distinct }) => figures.count(distinct),
    },
    { id: 'why', title: t('columns.why'), cell: ({ reason }) => <span title={reason}>{reason}</span> },
  ]
}
