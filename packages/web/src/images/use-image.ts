import type { ImageInfo } from '@medloom/contracts'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { routeQuery } from '../app/service'
import { IMAGE_CACHE_MILLISECONDS } from '../durations'
import type { ImageViewSettings } from './view-settings'

/** An image of a dataset: the row and the image column. */
export interface ImageSource {
  readonly datasetId: string
  readonly row: number
  readonly image: number
}

export function useImageInfo({ datasetId, row, image }: ImageSource) {
  return useQuery({
    ...routeQuery('getImageInfo', { dataset_id: datasetId, row, image }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The image with the current view settings; the previous one stays until it is loaded. Adjacent slices are prefetched. */
export function useImage(source: ImageSource, settings: ImageViewSettings, info: ImageInfo | undefined) {
  const queryClient = useQueryClient()
  const query = useQuery({ ...imageQuery(source, settings), placeholderData: keepPreviousData })
  const bitmap = useBitmap(query.data)
  useEffect(() => {
    if (!query.isSuccess || !info || settings.as === 'model') return
    const axis = settings.axis ?? 'axial'
    const count = info.slices[axis]
    const slice = sliceOf(settings, info)
    for (const next of [slice - 1, slice + 1])
      if (count > 1 && next >= 0 && next < count)
        void queryClient.prefetchQuery(imageQuery(source, { ...settings, slice: next }))
  }, [queryClient, query.isSuccess, info, settings, source])
  return { ...query, bitmap: bitmap.bitmap, error: query.error ?? bitmap.error }
}

/** Current slice; initially the middle one. */
export function sliceOf({ slice, axis = 'axial' }: ImageViewSettings, info: ImageInfo): number {
  return slice ?? Math.floor(info.slices[axis] / 2)
}

function imageQuery({ datasetId, row, image }: ImageSource, settings: ImageViewSettings) {
  const { as, axis, slice, view, center, width } = settings
  const window =
    center === undefined || width === undefined ? {} : { window_center: center, window_width: width }
  const shown = as === 'model' ? { as, view } : { axis, slice }
  return {
    ...routeQuery('getImage', { dataset_id: datasetId, row, image, ...shown, ...window }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: IMAGE_CACHE_MILLISECONDS,
  }
}

/** Decoded by the browser. */
function useBitmap(content: Uint8Array | undefined) {
  const [decoded, setDecoded] = useState<{ bitmap: ImageBitmap | null; error: Error | null }>({
    bitmap: null,
    error: null,
  })
  useEffect(() => {
    if (!content) return
    let isLatest = true
    createImageBitmap(new Blob([content as Uint8Array<ArrayBuffer>])).then(
      (bitmap) => isLatest && setDecoded({ bitmap, error: null }),
      (error: Error) => isLatest && setDecoded({ bitmap: null, error }),
    )
    return () => {
      isLatest = false
    }
  }, [content])
  return decoded
}
