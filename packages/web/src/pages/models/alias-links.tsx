import type { RouteResponse } from '@medloom/contracts'
import { Link } from '@tanstack/react-router'
import { NONE } from '../../text/formatters'
import { model as text } from '../../text/model'
import { useText } from '../../text/use-text'

interface Props {
  readonly move: RouteResponse<'getAlias'>
  /** Called when the link is followed: the page below a dialog may stay the same. */
  readonly onFollow?: () => void
}

/** The model that an alias named, or that it was removed. */
export function ModelLink({ move: { model_id }, onFollow }: Props) {
  const t = useText(text)
  if (model_id === null) return t('alias.removed')
  return (
    <Link to="/models/$id" params={{ id: model_id }} onClick={onFollow}>
      {model_id}
    </Link>
  )
}

/** The evaluation that supported the decision. */
export function EvaluationLink({ move: { model_id, evaluation_id }, onFollow }: Props) {
  const t = useText(text)
  if (model_id === null || evaluation_id === null) return NONE
  return (
    <Link
      to="/models/$id"
      params={{ id: model_id }}
      search={{ evaluation: evaluation_id }}
      onClick={onFollow}
      aria-label={t('alias.viewEvaluation', { id: evaluation_id })}
    >
      {t('task.open')}
    </Link>
  )
}
