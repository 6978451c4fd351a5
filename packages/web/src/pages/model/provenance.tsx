import { Link } from '@tanstack/react-router'
import { addressOf } from '../../app/service'
import { FileLink } from '../../components/button'
import { OriginFacts, WhereFrom } from '../../origin/origin'
import { useFigures } from '../../text/figures'
import { origin as text } from '../../text/origin'
import { useText } from '../../text/use-text'
import type { Document } from './evidence'
import styles from './model-page.module.css'

/** Provenance of every number of this evaluation: training, data, configuration, versions, and the files themselves. */
export function Provenance({ document }: { readonly document: Document }) {
  const t = useText(text)
  const figures = useFigures()
  const { job_id, job_name, result, evaluation_id, created_at, kind, config } = document
  const jobId = { jobId: job_id }
  const { source, software, split } = result
  return (
    <WhereFrom>
      <OriginFacts
        origin={{
          key: evaluation_id,
          source: [
            t('training'),
            <Link key="job" to="/runs/$jobId" params={jobId}>
              {job_name}
            </Link>,
          ],
          data: [{ part: split, name: source.csv, digest: source.digest }],
          configuration: (
            <Link to="/runs/$jobId" params={jobId} search={{ tab: 'configuration' }}>
              {t('open')}
            </Link>
          ),
          seed: config.training.seed,
          software,
          more: [
            [t('evaluation'), <code key="id">{evaluation_id}</code>],
            [t('measured'), figures.moment(created_at)],
            [
              t('checkpoint'),
              <code key="checkpoint">{`${source.checkpoint} · ${source.checkpoint_digest}`}</code>,
            ],
          ],
        }}
      />
      <div className={styles.chosen}>
        {filesOf(kind, evaluation_id, result.predictions).map((path) => (
          <FileLink key={path} href={addressOf('getJobFile', { job_id, path })}>
            {path.slice(path.lastIndexOf('/') + 1)}
          </FileLink>
        ))}
      </div>
    </WhereFrom>
  )
}

/** The document, and the table of predictions next to it. */
function filesOf(kind: Document['kind'], evaluationId: string, predictions: string): string[] {
  if (kind === 'evaluation')
    return ['evaluation.json', predictions].map((name) => `evaluations/${evaluationId}/${name}`)
  return [`metrics/${kind}.json`, `metrics/${predictions}`]
}
