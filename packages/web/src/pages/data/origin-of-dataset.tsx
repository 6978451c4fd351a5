import type { Dataset } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { OriginFacts, WhereFrom } from '../../origin/origin'
import { useFigures } from '../../text/figures'
import { origin as text } from '../../text/origin'
import { useText } from '../../text/use-text'

/** Provenance of the facts about a dataset: its files at the time of the inspection. */
export function OriginOfDataset({ dataset }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const figures = useFigures()
  const { dataset_id: datasetId, name, path, digest, kind, created_at } = dataset
  const link = (
    <Link to="/data/$datasetId" params={{ datasetId }}>
      {name}
    </Link>
  )
  return (
    <WhereFrom>
      <OriginFacts
        origin={{
          key: datasetId,
          source: [t('dataset'), link],
          data: [{ part: kind, name: path, digest }],
          more: [[t('registered'), figures.moment(created_at)]],
        }}
      />
    </WhereFrom>
  )
}
