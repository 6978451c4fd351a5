import { REPORT_FORMATS, type ReportFormat } from '@medloom/contracts/plain'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { addressOf, service } from '../../app/service'
import { Button, FileLink } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { Select } from '../../components/select'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import styles from './study.module.css'

/** Written when a study ends. */
const AT_THE_END: readonly ReportFormat[] = ['html', 'markdown', 'pdf']

/** The report in each format that is written, and the others on demand. */
export function ReportDialog({
  studyId,
  onClose,
}: {
  readonly studyId: string
  readonly onClose: () => void
}) {
  const t = useText(text)
  const [format, setFormat] = useState<ReportFormat>('word')
  const write = useMutation({
    mutationFn: () => service.reportStudy({ study_id: studyId, formats: [...AT_THE_END, format] }),
  })
  const written = write.data?.files.map((file) => file.format) ?? AT_THE_END
  return (
    <Dialog title={t('report.title')} isOpen onClose={onClose}>
      <ul className={styles.formats}>
        {REPORT_FORMATS.filter((one) => written.includes(one)).map((one) => (
          <li key={one}>
            <FileLink
              href={addressOf('getStudyReport', { study_id: studyId, format: one })}
              icon={one === 'html' ? 'external' : 'download'}
            >
              {t(`report.${one}`)}
            </FileLink>
          </li>
        ))}
      </ul>
      <div className={styles.buttons}>
        <Select
          label={t('report.format')}
          choices={REPORT_FORMATS.map((value) => ({ value, label: t(`report.${value}`) }))}
          value={format}
          onChange={setFormat}
        />
        <Button icon="file" isPending={write.isPending} onPress={() => write.mutate()}>
          {t(write.isPending ? 'report.writing' : 'report.write')}
        </Button>
      </div>
      {write.isError && <Problem error={write.error} />}
    </Dialog>
  )
}
