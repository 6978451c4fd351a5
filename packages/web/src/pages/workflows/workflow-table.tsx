import type { RouteResponse } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { invalidate, service } from '../../app/service'
import { Button, FileLink } from '../../components/button'
import { type Column, DataTable } from '../../components/data-table'
import { Dialog } from '../../components/dialog'
import { useOwnerColumn } from '../../components/owner-column'
import { Problem } from '../../components/problem'
import { RunStatusBadge } from '../../components/run-status-badge'
import { useFormatters } from '../../text/formatters'
import { useText } from '../../text/use-text'
import { workflows as text } from '../../text/workflows'
import styles from './workflows-page.module.css'

type Listed = RouteResponse<'listWorkflows'>['workflows'][number]

/** Stored workflows, newest first. */
export function WorkflowTable({ workflows }: { readonly workflows: readonly Listed[] }) {
  const t = useText(text)
  const columns = useColumns()
  return (
    <DataTable
      label={t('yours')}
      columns={columns}
      rows={workflows}
      rowKey={({ workflow_id }) => workflow_id}
      rowName={({ name }) => name}
      total={workflows.length}
    />
  )
}

function useColumns(): readonly Column<Listed>[] {
  const t = useText(text)
  const format = useFormatters()
  const owner = useOwnerColumn()
  const titled = ({ name }: Listed) => name || t('untitled')
  return [
    {
      id: 'name',
      title: t('name'),
      cell: (row) => (
        <Link to="/workflows/$workflowId" params={{ workflowId: row.workflow_id }} dir="auto">
          {titled(row)}
        </Link>
      ),
    },
    { id: 'size', title: t('size'), numeric: true, width: 5, cell: (row) => format.count(row.num_nodes) },
    {
      id: 'run',
      title: t('run'),
      width: 9,
      cell: ({ last_run }) => (last_run ? <RunStatusBadge status={last_run.status} /> : t('never')),
    },
    ...owner,
    { id: 'changed', title: t('changed'), width: 13, cell: (row) => format.moment(row.updated_at) },
    {
      id: 'actions',
      title: t('actions'),
      width: 15,
      cell: (row) => <RowActions workflowId={row.workflow_id} name={titled(row)} />,
    },
  ]
}

function RowActions({ workflowId, name }: { readonly workflowId: string; readonly name: string }) {
  const t = useText(text)
  const [isConfirming, setConfirming] = useState(false)
  const remove = useMutation({
    mutationFn: () => service.deleteWorkflow({ workflow_id: workflowId }),
    onSuccess: async () => {
      setConfirming(false)
      await invalidate('listWorkflows')
    },
  })
  return (
    <span className={styles.actions}>
      <FileLink kind="quiet" href={`/api/workflow/${workflowId}/export`}>
        {t('export.short')}
        <span className="visually-hidden"> {name}</span>
      </FileLink>
      <Button
        kind="quiet"
        icon="delete"
        aria-label={t('delete', { name })}
        onPress={() => setConfirming(true)}
      >
        {t('delete.short')}
      </Button>
      <Dialog
        title={t('delete', { name })}
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        action={
          <Button kind="danger" icon="delete" onPress={() => remove.mutate()} isDisabled={remove.isPending}>
            {t('delete.short')}
          </Button>
        }
      >
        <p>{t('delete.text', { name })}</p>
        {remove.error && <Problem error={remove.error} />}
      </Dialog>
    </span>
  )
}
