import { MedloomError } from '@medloom/client'
import { JOB_STATUSES, STUDY_STATUSES } from '@medloom/contracts/plain'
import { useState } from 'react'
import { IntervalAxis, IntervalPlot } from '../charts/interval-plot'
import { intervalScale } from '../charts/interval-scale'
import { Button } from '../components/button'
import { CopyButton } from '../components/copy-button'
import { Checkbox, SearchField, TextField } from '../components/field'
import { JobStatusBadge } from '../components/job-status-badge'
import { EmptyState, PageHeader, Panel } from '../components/panel'
import { PlainTable } from '../components/plain-table'
import { Problem } from '../components/problem'
import { Progress } from '../components/progress'
import { Select } from '../components/select'
import { Skeleton } from '../components/skeleton'
import { Slider } from '../components/slider'
import { StudyStatusBadge } from '../components/study-status-badge'
import { Tabs } from '../components/tabs'
import { Tags } from '../components/tags'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import styles from './components-page.module.css'

const HOSTILE = '<script>alert(1)</script> مرحبا '.repeat(4)

/** Each component in each of its states, to check both themes and languages. */
export function ComponentsPage() {
  return (
    <>
      <PageHeader title="Components" lead={HOSTILE} />
      <div className={styles.page}>
        <Panel title="Button">
          <Buttons />
        </Panel>
        <Panel title="Field">
          <Fields />
        </Panel>
        <Panel title="State">
          <States />
        </Panel>
        <Panel title="Problem">
          <Problems />
        </Panel>
        <Panel title="Table">
          <Tables />
        </Panel>
      </div>
    </>
  )
}

function Buttons() {
  const t = useText(parts)
  return (
    <div className={styles.row}>
      {(['primary', 'plain', 'quiet', 'danger'] as const).map((kind) => (
        <Button key={kind} kind={kind} icon="good">
          {t('retry')}
        </Button>
      ))}
      <Button isDisabled>{t('cancel')}</Button>
      <Button icon="close" aria-label={t('close')} />
      <CopyButton text={HOSTILE}>{t('copy')}</CopyButton>
    </div>
  )
}

function Fields() {
  const t = useText(parts)
  const [words, setWords] = useState('')
  const [on, setOn] = useState(false)
  const [share, setShare] = useState(0.5)
  const choices = [t('copy'), t('close')].map((label, index) => ({ value: String(index), label }))
  return (
    <div className={styles.page}>
      <TextField label={t('copy')} value={words} onChange={setWords} hint={t('loading')} />
      <TextField label={t('close')} value={HOSTILE} onChange={setWords} error={t('problem.broken')} />
      <TextField label={t('clear')} value={words} onChange={setWords} isDisabled lines={2} />
      <SearchField label={t('table.select', { name: 'x' })} value={words} onChange={setWords} />
      <Select label={t('retry')} choices={choices} value="0" onChange={setWords} />
      <Checkbox isSelected={on} onChange={setOn}>
        {t('retry')}
      </Checkbox>
      <Checkbox isSelected={false} isIndeterminate onChange={setOn}>
        {t('table.selectAll')}
      </Checkbox>
      <Slider label={t('loading')} value={share} max={1} step={0.1} onChange={setShare} />
    </div>
  )
}

function States() {
  const t = useText(parts)
  return (
    <div className={styles.page}>
      <div className={styles.row}>
        {JOB_STATUSES.map((status) => (
          <JobStatusBadge key={status} status={status} />
        ))}
        {STUDY_STATUSES.map((status) => (
          <StudyStatusBadge key={status} status={status} />
        ))}
      </div>
      {[null, 0, 0.4, 1].map((value) => (
        <Progress key={String(value)} label={t('loading')} value={value} />
      ))}
      <Tags tags={['a', HOSTILE]} />
      <Skeleton height={3} />
      <EmptyState title={t('problem.broken')}>
        <Button>{t('retry')}</Button>
      </EmptyState>
    </div>
  )
}

function Problems() {
  const refused = new MedloomError('The configuration is not valid.', {
    http: 400,
    code: 'INVALID_CONFIG',
    details: 'Correct the keys listed under issues.',
    issues: [{ path: 'training.epochs', code: 'INVALID_VALUE', message: HOSTILE }],
  })
  return (
    <div className={styles.page}>
      <Problem error={refused} />
      <Problem error={new Error(HOSTILE)} />
    </div>
  )
}

function Tables() {
  const t = useText(parts)
  const [open, setOpen] = useState<'a' | 'b'>('a')
  const intervals = [
    { estimate: 0.8, low: 0.71, high: 0.88 },
    { estimate: 0.9, low: null, high: null },
    { estimate: null, low: null, high: null },
  ]
  const scale = intervalScale(intervals)
  if (!scale) return null
  const table = (
    <PlainTable
      label={t('copy')}
      head={[t('copy'), { key: 'plot', title: <IntervalAxis scale={scale} /> }]}
      rows={intervals.map((interval, index) => ({
        key: String(index),
        cells: [HOSTILE, <IntervalPlot key="plot" scale={scale} {...interval} values={[0.75, 0.82]} />],
      }))}
    />
  )
  return (
    <Tabs
      label={t('copy')}
      open={open}
      onOpen={setOpen}
      tabs={[
        { id: 'a', title: t('copy'), content: () => table },
        { id: 'b', title: t('close'), content: () => <EmptyState title={t('loading')} /> },
      ]}
    />
  )
}
