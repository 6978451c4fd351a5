import type { ValueType } from '@medloom/contracts'
import { useCallback } from 'react'
import { editor as text } from '../text/editor'
import { useText } from '../text/use-text'
import type { Compatibility } from './core/ports'

/** Text of the reason why two ports are incompatible; empty if they fit. */
export function useIncompatibilityText(): (fit: Compatibility) => string {
  const t = useText(text)
  return useCallback(
    (compatibility) => {
      if (compatibility.fits) return ''
      const { reason, from, to } = compatibility
      if (reason === 'kind') return t('why.kind', { from, to })
      if (reason !== 'type') return t(`why.${reason}`)
      return t('why.type', { from: t(`type.${from as ValueType}`), to: t(`type.${to as ValueType}`) })
    },
    [t],
  )
}
