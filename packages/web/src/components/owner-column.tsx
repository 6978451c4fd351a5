import { useMemo } from 'react'
import { useUserNames } from '../app/users'
import { NONE } from '../text/formatters'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import type { Column } from './data-table'

interface Owned {
  readonly owner: string | null
}

/** Column with the owner of each row; no column if there is only one user. */
export function useOwnerColumn(): readonly Column<Owned>[] {
  const t = useText(parts)
  const isShown = useUserNames().length > 0
  return useMemo(
    () => (isShown ? [{ id: 'owner', title: t('owner'), cell: ({ owner }) => owner ?? NONE }] : []),
    [isShown, t],
  )
}
