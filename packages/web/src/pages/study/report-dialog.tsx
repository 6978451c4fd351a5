import { REPORT_FORMATS, type ReportFormat } from '@medloom/contracts/plain'
import { useMutation } from '@tanstack/react-query'
import { service, urlOf } from '../../app/service'
import { FileLink } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { ReportWriter } from '../../components/report-writer'
import { reports } from '../../text/reports'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import styles from './study.module.css'

/** Formats that are written when a study ends. */
const DEFAULT_FORMATS: readonly ReportFormat[] = ['html', 'markdown', 'pdf']

/** The report in each written format; other formats on request. */
export function ReportDialog({
  studyId,
  onClose,
}: {
  readonly studyId: string
  readonly onClose: () => void
}) {
  const t = useText(text)
  const nameOf = useText(reports)
  const write = useMutation({
    mutationFn: (format: ReportFormat) =>
      service.reportStudy({ study_id: studyId, formats: [...DEFAULT_FORMATS, format] }),
  })
  const written = write.data?.files.map((file) => file.format) ?? DEFAULT_FORMATS
  return (
    <Dialog title={t('report.title')} isOpen onClose={onClose}>
      <ul className={styles.formats}>
        {REPORT_FORMATS.filter((one) => written.includes(one)).map((one) => (
          <li key={one}>
            <FileLink
              href={urlOf('getStudyReport', { study_id: studyId, format: one })}
              icon={one === 'html' ? 'external' : 'download'}
            >
              {nameOf(one)}
            </FileLink>
          </li>
        ))}
      </ul>
      <ReportWriter first="word" isWriting={write.isPending} onWrite={write.mutate} />
      {write.isError && <Problem error={write.error} />}
    </Dialog>
  )
}
