import type { ReportFormat } from '@medloom/contracts/plain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { addressOf, changed, read, service } from '../../app/service'
import { FileLink } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { ReportWriter } from '../../components/report-writer'
import { Skeleton } from '../../components/skeleton'
import { useFigures } from '../../text/figures'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'
import type { Document } from './evidence'
import styles from './model-page.module.css'

/** Report of the current evaluation: as a page immediately, in other formats on request. */
export function ReportDialog({
  document: { evaluation_id, job_id, kind },
  onClose,
}: {
  readonly document: Document
  readonly onClose: () => void
}) {
  const t = useText(text)
  const under = kind === 'evaluation' ? `evaluations/${evaluation_id}` : 'reports'
  const write = useMutation({
    mutationFn: (format: ReportFormat) => service.reportEvaluation({ evaluation_id, formats: [format] }),
    onSuccess: () => changed('listJobFiles'),
  })
  return (
    <Dialog title={t('report.title')} isOpen onClose={onClose}>
      <Written jobId={job_id} under={under} />
      <ReportWriter first="pdf" isWriting={write.isPending} onWrite={write.mutate} />
      {write.isError && <Problem error={write.error} />}
    </Dialog>
  )
}

function Written({ jobId, under }: { readonly jobId: string; readonly under: string }) {
  const t = useText(text)
  const figures = useFigures()
  const files = useQuery(read('listJobFiles', { job_id: jobId, under, page_size: 1000 }))
  if (files.isError) return <Problem error={files.error} />
  if (!files.data) return <Skeleton height={4} />
  const reports = files.data.files.filter(({ path }) => path.startsWith(`${under}/report.`))
  if (reports.length === 0) return <p>{t('report.none')}</p>
  return (
    <ul className={styles.files}>
      {reports.map(({ path, size_bytes, changed_at }) => (
        <li key={path}>
          <FileLink
            href={addressOf('getJobFile', { job_id: jobId, path })}
            icon={path.endsWith('.html') ? 'external' : 'download'}
          >
            {path.slice(under.length + 1)}
          </FileLink>
          <span className={styles.soft}>
            {figures.bytes(size_bytes)} · {figures.moment(changed_at)}
          </span>
        </li>
      ))}
    </ul>
  )
}
