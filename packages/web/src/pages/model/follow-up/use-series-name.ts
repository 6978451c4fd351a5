import type { FollowUpSeries } from '@medloom/contracts'
import { followUp as text } from '../../../text/follow-up'
import { useText } from '../../../text/use-text'

/** Name of a series of a follow-up: of an input, of the images, or of a property of the calibration. */
export function useSeriesName(): (series: Pick<FollowUpSeries, 'kind' | 'name'>) => string {
  const t = useText(text)
  return ({ kind, name }) =>
    kind === 'numeric' || kind === 'categorical' || kind === 'missing'
      ? t(kind, { name: name ?? '' })
      : t(kind)
}
