import type { Dataset } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { ProvenanceFacts, ProvenanceSection } from '../../provenance/provenance'
import { useFormatters } from '../../text/formatters'
import { provenance as text } from '../../text/provenance'
import { useText } from '../../text/use-text'

/** Provenance of the facts about a dataset: its files at the time of the inspection. */
export function DatasetProvenance({ dataset }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const format = useFormatters()
  const { dataset_id: datasetId, name, path, digest, kind, created_at } = dataset
  const link = (
    <Link to="/data/$datasetId" params={{ datasetId }}>
      {name}
    </Link>
  )
  return (
    <ProvenanceSection>
      <ProvenanceFacts
        provenance={{
          key: datasetId,
          source: [t('dataset'), link],
          data: [{ part: kind, name: path, digest }],
          more: [[t('registered'), format.moment(created_at)]],
        }}
      />
    </ProvenanceSection>
  )
}
