import { MedloomError } from '@medloom/client'
import type { CasesPage, Phrase, Pictures } from '@medloom/contracts'
import { useQueries } from '@tanstack/react-query'
import { queryClient, routeQuery } from '../../app/service'
import { THUMBNAIL_CACHE_MILLISECONDS, THUMBNAIL_DEBOUNCE_MILLISECONDS } from '../../durations'
import { useDebounced } from './use-debounced'

export interface Thumbnail {
  /** Data URL of the image; null if there is none. */
  readonly picture: string | null
  /** Reason for a missing image. */
  readonly problem: { readonly english: string; readonly phrases: readonly Phrase[] | undefined } | null
}

/** Images per request: few enough for a fast first response, and enough to keep the number of requests small. */
const BLOCK = 30
const SIZE = 192
const NONE: Thumbnail = { picture: null, problem: null }

type WithImages = Pick<CasesPage['cases'][number], 'row' | 'images'>

/** Prefetches the first images of a list, as many as a window usually shows. */
export function prefetchThumbnails(datasetId: string, cases: readonly WithImages[], image: number): void {
  for (const rows of blocksOf(cases, image, 0, 2 * BLOCK))
    void queryClient.prefetchQuery(blockQuery(datasetId, rows, image))
}

/** Thumbnails of the cases in a range of the list, and of the other cases in the same blocks. */
export function useThumbnails(
  datasetId: string,
  cases: readonly WithImages[],
  image: number,
  { from, until }: { readonly from: number; readonly until: number },
): ReadonlyMap<number, Thumbnail> {
  const range = useDebounced(
    `${from - (from % BLOCK)} ${Math.min(until, cases.length)}`,
    THUMBNAIL_DEBOUNCE_MILLISECONDS,
  )
  const [first = 0, end = 0] = range.split(' ').map(Number)
  const blocks = blocksOf(cases, image, first, end)
  const results = useQueries({
    queries: blocks.map((rows) => ({ ...blockQuery(datasetId, rows, image), select: thumbnailsOf })),
  })
  const thumbnails = new Map<number, Thumbnail>()
  for (const [block, { data, error }] of results.entries())
    for (const [index, row] of (blocks[block] ?? []).entries())
      if (data) thumbnails.set(row, data[index] ?? NONE)
      else if (error) thumbnails.set(row, { picture: null, problem: problemOf(error) })
  return thumbnails
}

function problemOf(error: Error): Thumbnail['problem'] {
  return {
    english: error.message,
    phrases: error instanceof MedloomError ? error.phrases.message : undefined,
  }
}

/** Rows of each request. */
function blocksOf(cases: readonly WithImages[], image: number, from: number, until: number): number[][] {
  const blocks: number[][] = []
  for (let start = from; start < Math.min(until, cases.length); start += BLOCK) {
    const block = cases.slice(start, start + BLOCK).filter(({ images }) => images[image])
    if (block.length > 0) blocks.push(block.map(({ row }) => row))
  }
  return blocks
}

function blockQuery(datasetId: string, rows: number[], image: number) {
  return {
    ...routeQuery('listThumbnails', { dataset_id: datasetId, rows, image, size: SIZE }),
    staleTime: THUMBNAIL_CACHE_MILLISECONDS,
    gcTime: THUMBNAIL_CACHE_MILLISECONDS,
  }
}

/** Computed once per response: a data URL is as long as its image, and an unchanged tile is not rendered again. */
function thumbnailsOf({ pictures }: Pictures): Thumbnail[] {
  return pictures.map(({ picture, problem }) => ({
    picture: picture ? `data:${picture.media_type};base64,${picture.data}` : null,
    problem: problem && { english: problem.message, phrases: problem.message_phrases },
  }))
}
