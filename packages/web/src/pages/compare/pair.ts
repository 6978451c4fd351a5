import type { RouteResponse } from '@medloom/contracts'
import type { Agreement } from '@medloom/contracts/plain'
import type { compare } from '../../text/compare'
import type { Translate } from '../../text/use-text'

export type ComparisonDocument = RouteResponse<'getComparison'>
/** Two models of the comparison. */
export type Pair = ComparisonDocument['result']['pairs'][number]

export function agreementName(which: Agreement, pair: Pair, t: Translate<(typeof compare)['en']>): string {
  if (which === 'only_first') return t('agreement.only_first', { name: pair.first })
  if (which === 'only_second') return t('agreement.only_second', { name: pair.second })
  return t(`agreement.${which}`)
}
