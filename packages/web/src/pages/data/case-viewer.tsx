import { useMemo } from 'react'
import { Dialog } from '../../components/dialog'
import { FactList } from '../../components/fact-list'
import { Select } from '../../components/select'
import { ImageViewer } from '../../images/image-viewer'
import type { ImageLook } from '../../images/look'
import { data as text } from '../../text/data'
import { NONE, useFigures } from '../../text/figures'
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
  const place = useMemo(
    () => ({ datasetId: dataset.dataset_id, row, image: search.image ?? 0 }),
    [dataset.dataset_id, row, search.image],
  )
  const at = list.items.findIndex((one) => one.row === row)
  const step = (by: -1 | 1) => {
    const next = list.items[at + by]
    if (next) onChange({ row: next.row, slice: undefined, view: undefined })
    if (at + by >= list.items.length - 2) list.more()
  }
  const close = () => onChange({ row: undefined, ...RESET })
  return (
    <Dialog title={t('title', { row: row + 1 })} size="full" isOpen onClose={close}>
      <ImageViewer
        place={place}
        look={search}
        onLook={(changes) => onChange(changes)}
        onStep={at < 0 ? undefined : step}
      >
        {names.length > 1 && (
          <Select
            label={t('column')}
            choices={names.map((value, image) => ({ value: String(image), label: value }))}
            value={String(place.image)}
            onChange={(image) => onChange({ image: Number(image), slice: undefined })}
          />
        )}
        <CaseFacts found={list.items[at]} />
      </ImageViewer>
    </Dialog>
  )
}

const RESET: ImageLook = {
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
  const figures = useFigures()
  if (!found) return null
  return (
    <FactList
      facts={[
        [t('fact.class'), found.class ?? words('classes.none')],
        [t('fact.split'), found.split ?? words('split.none')],
        [t('fact.patient'), found.patient === null ? NONE : figures.count(found.patient)],
        [t('fact.line'), figures.count(found.line)],
      ]}
    />
  )
}
