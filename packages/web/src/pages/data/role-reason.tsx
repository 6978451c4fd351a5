import type { Inspection } from '@medloom/contracts'
import { useServiceText } from '../../components/service-text'

/** Reason why a column has its role; the title shows all of it if the cell is narrow. */
export function RoleReason({
  column: { reason, reason_phrases: phrases },
}: {
  readonly column: Inspection['columns'][number]
}) {
  const words = useServiceText()(reason, phrases)
  return <span title={words}>{words}</span>
}
