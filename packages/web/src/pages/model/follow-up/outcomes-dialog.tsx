import type { FollowUp, FollowUpOutcomesAdded } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, service } from '../../../app/service'
import { Button } from '../../../components/button'
import { Dialog } from '../../../components/dialog'
import { FactList } from '../../../components/fact-list'
import { Checkbox, TextField } from '../../../components/field'
import { Problem } from '../../../components/problem'
import { FilePicker } from '../../../files/file-picker'
import { followUp as text } from '../../../text/follow-up'
import { useFormatters } from '../../../text/formatters'
import { useText } from '../../../text/use-text'

const COUNTS = ['rows', 'added', 'replaced', 'unchanged', 'unknown', 'without_outcome'] as const

/** Adds the outcomes of a table to a follow-up, and shows how many rows were used. */
export function OutcomesDialog({
  followUp: { follow_up_id, id_column },
  onClose,
}: {
  readonly followUp: FollowUp
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [path, setPath] = useState('')
  const [idColumn, setIdColumn] = useState(id_column ?? '')
  const [replace, setReplace] = useState(false)
  const add = useMutation({
    mutationFn: () =>
      service.addOutcomes({ follow_up_id, path: path.trim(), id_column: idColumn.trim(), replace }),
    onSuccess: () => invalidate('getFollowUp'),
  })
  const isComplete = path.trim() !== '' && idColumn.trim() !== ''
  return (
    <Dialog
      title={t('outcomes.add')}
      isOpen
      onClose={onClose}
      action={
        <Button
          kind="primary"
          isDisabled={!isComplete}
          isPending={add.isPending}
          onPress={() => add.mutate()}
        >
          {t('outcomes.action')}
        </Button>
      }
    >
      <FilePicker
        label={t('outcomes.table')}
        hint={t('outcomes.tableHint')}
        accepts="table"
        value={path}
        onChange={setPath}
      />
      <TextField
        label={t('outcomes.idColumn')}
        hint={t('outcomes.idColumnHint')}
        value={idColumn}
        onChange={setIdColumn}
      />
      <Checkbox isSelected={replace} onChange={setReplace}>
        {t('outcomes.replace')}
      </Checkbox>
      {add.isError && <Problem error={add.error} />}
      {add.data && <Added added={add.data} />}
    </Dialog>
  )
}

function Added({ added }: { readonly added: FollowUpOutcomesAdded }) {
  const t = useText(text)
  const format = useFormatters()
  return (
    <div role="status">
      <FactList facts={COUNTS.map((name) => [t(`outcomes.${name}`), format.count(added[name])])} />
    </div>
  )
}
