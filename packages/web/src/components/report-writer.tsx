import { REPORT_FORMATS, type ReportFormat } from '@medloom/contracts/plain'
import { useState } from 'react'
import { reports as text } from '../text/reports'
import { useText } from '../text/use-text'
import { Button } from './button'
import styles from './report-writer.module.css'
import { Select } from './select'

/** Writes a report in a selected format. first: the default format. */
export function ReportWriter({
  first,
  isWriting,
  onWrite,
}: {
  readonly first: ReportFormat
  readonly isWriting: boolean
  readonly onWrite: (format: ReportFormat) => void
}) {
  const t = useText(text)
  const [format, setFormat] = useState(first)
  return (
    <div className={styles.writer}>
      <Select
        label={t('format')}
        choices={REPORT_FORMATS.map((value) => ({ value, label: t(value) }))}
        value={format}
        onChange={setFormat}
      />
      <Button icon="file" isPending={isWriting} onPress={() => onWrite(format)}>
        {t(isWriting ? 'writing' : 'write')}
      </Button>
    </div>
  )
}
