import type { ShownFile, ShownValue } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { urlOf } from '../../app/service'
import { FileLink } from '../../components/button'
import { FactList } from '../../components/fact-list'
import { PlainTable } from '../../components/plain-table'
import { useServiceText } from '../../components/service-text'
import { editor as text } from '../../text/editor'
import { NONE, useFormatters } from '../../text/formatters'
import { useMetricNames } from '../../text/metrics/use-metric-names'
import { useText } from '../../text/use-text'
import styles from '../panel/panels.module.css'
import type { PortValueRef } from './port-value-ref'
import { EpochCurve, RocCurves } from './value-curves'

type ValueOf<C extends ShownValue['content']> = Extract<ShownValue, { content: C }>

/** View of a value for its kind. */
export function ValueView({
  value,
  valueRef,
}: {
  readonly value: ShownValue
  readonly valueRef: PortValueRef
}): ReactNode {
  switch (value.content) {
    case 'cases':
      return <Cases value={value} />
    case 'predictions':
      return null
    case 'config':
      return <Config value={value} />
    case 'model_plan':
    case 'trained_model':
      return <Model value={value} />
    case 'evaluation':
      return (
        <>
          <Metrics metrics={value.metrics} />
          <RocCurves document={value.document} />
          {value.files.length > 0 && <Files files={value.files} valueRef={valueRef} />}
          <TruncatedNotice cut={value.cut} />
        </>
      )
    case 'history':
      return (
        <>
          <Metrics metrics={value.metrics} />
          <EpochCurve epochs={value.epochs ?? []} />
        </>
      )
    case 'confusion_matrix':
      return <Confusion value={value} />
    case 'files':
      return (
        <>
          <Files files={value.files} valueRef={valueRef} />
          <MissingFiles parts={value.not_made} />
        </>
      )
  }
}

function Cases({ value }: { readonly value: ValueOf<'cases'> }) {
  const t = useText(text)
  const format = useFormatters()
  return (
    <>
      <FactList
        facts={[
          [t('value.cases'), format.count(value.num_cases)],
          [t('value.patients'), value.num_patients === null ? NONE : format.count(value.num_patients)],
          [t('value.label'), value.label_column ?? NONE],
          [t('value.task'), value.task ?? NONE],
          [t('value.classes'), namesOf(value.classes)],
          [t('value.features'), namesOf(value.feature_columns)],
          [t('value.images'), namesOf(value.image_columns)],
        ]}
      />
      <Settings settings={value.settings} />
    </>
  )
}

function Model({ value }: { readonly value: ValueOf<'model_plan'> | ValueOf<'trained_model'> }) {
  const t = useText(text)
  const format = useFormatters()
  const classes =
    value.content === 'trained_model'
      ? namesOf(value.classes)
      : value.num_classes === null
        ? NONE
        : format.count(value.num_classes)
  return (
    <>
      <FactList
        facts={[
          [t('value.task'), value.task ?? NONE],
          [t('value.classes'), classes],
        ]}
      />
      {value.content === 'trained_model' && (
        <span className={styles.line}>
          <Link to="/runs/$jobId" params={{ jobId: value.job_id }}>
            {t('result.job')}
          </Link>
          {value.model_id !== null && (
            <Link to="/models/$id" params={{ id: value.model_id }}>
              {t('value.model')}
            </Link>
          )}
        </span>
      )}
      <Settings settings={value.settings} />
    </>
  )
}

function Config({ value }: { readonly value: ValueOf<'config'> }) {
  const t = useText(text)
  return (
    <>
      <Entries label={t('value.facts')} entries={value.facts} />
      <Settings settings={value.settings} />
      <TruncatedNotice cut={value.cut} />
    </>
  )
}

function Settings({ settings }: { readonly settings: Readonly<Record<string, unknown>> }) {
  const t = useText(text)
  return <Entries label={t('value.settings')} entries={settings} />
}

function Entries({
  label,
  entries,
}: {
  readonly label: string
  readonly entries: Readonly<Record<string, unknown>>
}) {
  const t = useText(text)
  const rows = Object.entries(entries)
  if (rows.length === 0) return null
  return (
    <PlainTable
      label={label}
      head={[label, t('value.value')]}
      rows={rows.map(([key, value]) => ({ key, cells: [key, <CodeValue key={key} value={value} />] }))}
    />
  )
}

function CodeValue({ value }: { readonly value: unknown }) {
  const plain = typeof value === 'string' ? value : JSON.stringify(value)
  return <code className={styles.file}>{plain}</code>
}

function Metrics({ metrics }: { readonly metrics: Readonly<Record<string, number | null>> }) {
  const t = useText(text)
  const format = useFormatters()
  const nameOf = useMetricNames()
  return (
    <PlainTable
      label={t('value.metrics')}
      head={[t('value.metric'), { key: 'value', title: t('value.value'), numeric: true }]}
      rows={Object.entries(metrics).map(([key, value]) => ({
        key,
        cells: [nameOf(key), format.metric(value)],
      }))}
    />
  )
}

function Confusion({ value: { classes, matrix } }: { readonly value: ValueOf<'confusion_matrix'> }) {
  const t = useText(text)
  const format = useFormatters()
  if (!matrix || !classes) return <p className={styles.soft}>{t('value.noMatrix')}</p>
  return (
    <PlainTable
      label={t('value.confusion')}
      head={[t('value.truth'), ...classes.map((name) => ({ key: name, title: name, numeric: true }))]}
      rows={matrix.map((row, index) => ({
        key: String(index),
        cells: [classes[index] ?? '', ...row.map((count) => format.count(count))],
      }))}
    />
  )
}

function Files({
  files,
  valueRef: { workflowId, node, port, runId },
}: {
  readonly files: readonly ShownFile[]
  readonly valueRef: PortValueRef
}) {
  const t = useText(text)
  const format = useFormatters()
  const addressOfFile = (path: string) =>
    urlOf('getPortFile', {
      ...{ workflow_id: workflowId, path, node, port },
      ...(runId === undefined ? {} : { run_id: runId }),
    })
  return (
    <PlainTable
      label={t('result.files')}
      head={[t('value.file'), t('value.path'), { key: 'size', title: t('value.size'), numeric: true }]}
      rows={files.map(({ title, path, size_bytes }) => ({
        key: path,
        cells: [
          <FileLink
            key="open"
            href={addressOfFile(path)}
            icon={path.endsWith('.html') ? 'external' : 'download'}
          >
            {title} {formatOf(path)}
          </FileLink>,
          <CodeValue key={path} value={path} />,
          format.bytes(size_bytes),
        ],
      }))}
    />
  )
}

/** File format, to distinguish two files with the same title. */
function formatOf(path: string): string {
  const format = /\.(\w+)$/.exec(path)?.[1]
  return format === undefined ? '' : `(${format.toUpperCase()})`
}

function MissingFiles({ parts }: { readonly parts: ValueOf<'files'>['not_made'] }) {
  const t = useText(text)
  const service = useServiceText()
  return parts.map(({ title, reason }) => (
    <p key={title} className={styles.soft}>
      {t('value.notMade', { title: service(title), reason: service(reason) })}
    </p>
  ))
}

function TruncatedNotice({ cut }: { readonly cut: boolean }) {
  const t = useText(text)
  return cut ? <p className={styles.soft}>{t('value.cut')}</p> : null
}

function namesOf(names: readonly string[] | null): string {
  return names === null || names.length === 0 ? NONE : names.join(', ')
}
