import type { ImageInfo } from '@medloom/contracts'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { read } from '../app/service'
import type { ImageLook } from './look'

/** An image of a dataset: the row and the image column. */
export interface ImagePlace {
  readonly datasetId: string
  readonly row: number
  readonly image: number
}

export function useImageInfo({ datasetId, row, image }: ImagePlace) {
  return useQuery({
    ...read('getImageInfo', { dataset_id: datasetId, row, image }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The image with the current view settings; the previous one stays until it is loaded. Adjacent slices are prefetched. */
export function usePicture(place: ImagePlace, look: ImageLook, info: ImageInfo | undefined) {
  const queries = useQueryClient()
  const query = useQuery({ ...pictureRead(place, look), placeholderData: keepPreviousData })
  const bitmap = useBitmap(query.data)
  useEffect(() => {
    if (!query.isSuccess || !info || look.as === 'model') return
    const axis = look.axis ?? 'axial'
    const count = info.slices[axis]
    const slice = sliceOf(look, info)
    for (const next of [slice - 1, slice + 1])
      if (count > 1 && next >= 0 && next < count)
        void queries.prefetchQuery(pictureRead(place, { ...look, slice: next }))
  }, [queries, query.isSuccess, info, look, place])
  return { ...query, bitmap: bitmap.bitmap, error: query.error ?? bitmap.error }
}

/** Current slice; initially the middle one. */
export function sliceOf({ slice, axis = 'axial' }: ImageLook, info: ImageInfo): number {
  return slice ?? Math.floor(info.slices[axis] / 2)
}

function pictureRead({ datasetId, row, image }: ImagePlace, look: ImageLook) {
  const { as, axis, slice, view, center, width } = look
  const window =
    center === undefined || width === undefined ? {} : { window_center: center, window_width: width }
  const shown = as === 'model' ? { as, view } : { axis, slice }
  return {
    ...read('getImage', { dataset_id: datasetId, row, image, ...shown, ...window }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  }
}

/** Decoded by the browser. */
function useBitmap(content: Uint8Array | undefined) {
  const [made, setMade] = useState<{ bitmap: ImageBitmap | null; error: Error | null }>({
    bitmap: null,
    error: null,
  })
  useEffect(() => {
    if (!content) return
    let isLatest = true
    createImageBitmap(new Blob([content as Uint8Array<ArrayBuffer>])).then(
      (bitmap) => isLatest && setMade({ bitmap, error: null }),
      (error: Error) => isLatest && setMade({ bitmap: null, error }),
    )
    return () => {
      isLatest = false
    }
  }, [content])
  return made
}
