import type { Dataset, Inspection } from '@medloom/contracts'
import { useState } from 'react'
import { Button } from '../../components/button'
import { Panel } from '../../components/panel'
import { Problem } from '../../components/problem'
import { TaskProgress } from '../../components/task-progress'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { CheckList } from './check-list'
import styles from './checks.module.css'
import { Leaks } from './leaks'
import { PathDialog } from './path-dialog'
import { type Remedy, remedyOf } from './remedies'
import type { Roles } from './role-table'
import { RolesDialog } from './roles-dialog'
import { useDatasetEdit } from './use-dataset-edit'
import type { DatasetViewProps } from './view-props'

type Check = Inspection['readiness']['checks'][number]

/** Problems of the dataset with their remedies, and pairs of cases that leak between splits. */
export function Checks(props: DatasetViewProps) {
  const t = useText(text)
  const { dataset } = props
  return (
    <div className={styles.page}>
      <Panel title={t('checks.title')}>
        <CheckList
          checks={dataset.readiness.checks}
          action={(check) => <RemedyButton {...props} check={check} />}
        />
      </Panel>
      <Panel title={t('leaks.title')}>
        <Leaks {...props} />
      </Panel>
    </div>
  )
}

function RemedyButton({ dataset, onChange, check }: DatasetViewProps & { readonly check: Check }) {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  const remedy = remedyOf(check, dataset)
  if (!remedy) return null
  if (remedy.kind === 'inspect') return <ReinspectButton dataset={dataset} />
  const press = () => {
    if (remedy.kind === 'distribution') onChange({ tab: 'overview', column: remedy.column })
    else if (remedy.kind === 'leaks') document.getElementById('leaks')?.scrollIntoView()
    else setOpen(true)
  }
  const count = remedy.kind === 'ignore' ? { count: remedy.columns.length } : { count: 0 }
  return (
    <>
      <Button onPress={press}>
        {remedy.kind === 'ignore' ? t('remedy.ignore', count) : t(`remedy.${remedy.kind}`)}
      </Button>
      {isOpen && remedy.kind === 'path' && <PathDialog dataset={dataset} onClose={() => setOpen(false)} />}
      {isOpen && remedy.kind !== 'path' && (
        <RolesDialog
          dataset={dataset}
          start={{ ...dataset.roles, ...ignoring(remedy) }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

function ignoring(remedy: Remedy): Roles {
  if (remedy.kind !== 'ignore') return {}
  return Object.fromEntries(remedy.columns.map((name) => [name, 'ignored' as const]))
}

/** Inspects the files of a dataset again with the current roles. */
function ReinspectButton({ dataset }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const { edit, isEditing, task, error } = useDatasetEdit(dataset)
  return (
    <div>
      <Button isDisabled={isEditing} onPress={() => edit({ inspect: true })}>
        {t('remedy.inspect')}
      </Button>
      {task && <TaskProgress label={t('remedy.inspect')} task={task} />}
      {error && <Problem error={error} />}
    </div>
  )
}
