import type { ValueType } from '@medloom/contracts'
import { useCallback } from 'react'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import type { Fit } from './core/ports'

/** Text of the reason why two ports are incompatible; empty if they fit. */
export function useReason(): (fit: Fit) => string {
  const t = useText(text)
  return useCallback(
    (judged) => {
      if (judged.fits) return ''
      const { why, from, to } = judged
      if (why === 'kind') return t('why.kind', { from, to })
      if (why !== 'type') return t(`why.${why}`)
      return t('why.type', { from: t(`type.${from as ValueType}`), to: t(`type.${to as ValueType}`) })
    },
    [t],
  )
}
