import { useMemo } from 'react'
import { Dialog } from '../../components/dialog'
import { FactList } from '../../components/fact-list'
import { Select } from '../../components/select'
import { ImageViewer } from '../../images/image-viewer'
import type { ImageViewSettings } from '../../images/view-settings'
import { data as text } from '../../text/data'
import { NONE, useFormatters } from '../../text/formatters'
import { images } from '../../text/images'
import { useText } from '../../text/use-text'
import { useCases } from './case-list'
import { imageColumnsOf } from './image-columns'
import type { DatasetViewProps } from './view-props'

/** Full-window image of one case; the arrow keys move through the selected cases. */
export function CaseViewer({ dataset, search, row, onChange }: DatasetViewProps & { readonly row: number }) {
  const t = useText(images)
  const names = imageColumnsOf(dataset)
  const list = useCases(dataset, search, { columns: [dataset.columns[0]?.name ?? 'label'] })
  const source = useMemo(
    () => ({ datasetId: dataset.dataset_id, row, image: search.image ?? 0 }),
    [dataset.dataset_id, row, search.image],
  )
  const index = list.items.findIndex((one) => one.row === row)
  const step = (by: -1 | 1) => {
    const next = list.items[index + by]
    if (next) onChange({ row: next.row, slice: undefined, view: undefined })
    if (index + by >= list.items.length - 2) list.more()
  }
  const close = () => onChange({ row: undefined, ...RESET })
  return (
    <Dialog title={t('title', { row: row + 1 })} size="full" isOpen onClose={close}>
      <ImageViewer
        source={source}
        settings={search}
        onChange={(changes) => onChange(changes)}
        onStep={index < 0 ? undefined : step}
      >
        {names.length > 1 && (
          <Select
            label={t('column')}
            choices={names.map((value, image) => ({ value: String(image), label: value }))}
            value={String(source.image)}
            onChange={(image) => onChange({ image: Number(image), slice: undefined })}
          />
        )}
        <CaseFacts found={list.items[index]} />
      </ImageViewer>
    </Dialog>
  )
}

const RESET: ImageViewSettings = {
  as: undefined,
  axis: undefined,
  slice: undefined,
  view: undefined,
  center: undefined,
  width: undefined,
}

type Found = ReturnType<typeof useCases>['items'][number] | undefined

function CaseFacts({ found }: { readonly found: Found }) {
  const t = useText(images)
  const words = useText(text)
  const format = useFormatters()
  if (!found) return null
  return (
    <FactList
      facts={[
        [t('fact.class'), found.class ?? words('classes.none')],
        [t('fact.split'), found.split ?? words('split.none')],
        [t('fact.patient'), found.patient === null ? NONE : format.count(found.patient)],
        [t('fact.line'), format.count(found.line)],
      ]}
    />
  )
}
