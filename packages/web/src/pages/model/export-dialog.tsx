import { PACKAGE, QUANTIZATIONS, REQUEST_FORMATS } from '@medloom/contracts/plain'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { Select } from '../../components/select'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import type { Model } from './use-evaluations'

/** Starts the export of a model as a background task; the file can then be downloaded. */
export function ExportDialog({
  model: { model_id },
  onBegun,
  onClose,
}: {
  readonly model: Model
  readonly onBegun: (task: string) => void
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [format, setFormat] = useState<(typeof REQUEST_FORMATS)[number]>('ONNX')
  const [quantization, setQuantization] = useState<(typeof QUANTIZATIONS)[number]>('none')
  const start = useMutation({
    mutationFn: () => service.startTask('exportModel', { model_id, format, quantization }),
    onSuccess: ({ task_id }) => onBegun(task_id),
  })
  return (
    <Dialog
      title={t('export.title')}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isPending={start.isPending} onPress={() => start.mutate()}>
          {t('export')}
        </Button>
      }
    >
      <Select
        label={t('export.format')}
        choices={REQUEST_FORMATS.map((value) => ({
          value,
          label: value === PACKAGE ? t('export.package') : value,
        }))}
        value={format}
        onChange={setFormat}
      />
      <Select
        label={t('export.quantization')}
        choices={QUANTIZATIONS.map((value) => ({ value, label: t(`quantization.${value}`) }))}
        value={quantization}
        onChange={setQuantization}
      />
      <p>{t('export.compared')}</p>
      {format === PACKAGE && <p>{t('export.package.help')}</p>}
      {start.isError && <Problem error={start.error} />}
    </Dialog>
  )
}
