import type { BackgroundTask, RecipeProposal } from '@medloom/contracts'
import { Button } from '../../../components/button'
import { EmptyState, Panel } from '../../../components/panel'
import { TaskProgress } from '../../../components/task-progress'
import { data as text } from '../../../text/data'
import { useText } from '../../../text/use-text'
import type { InspectRequest } from '../inspect-request'
import { answersOf, type ProposalRequest } from './proposal'
import { ProposalView } from './proposal-view'

/** A proposal of how files belong together: its progress, then its result. */
export function ProposalTask({
  task,
  onPropose,
  onInspect,
}: {
  readonly task: BackgroundTask
  readonly onPropose: (request: ProposalRequest) => void
  readonly onInspect: (request: InspectRequest) => void
}) {
  const t = useText(text)
  const request = task.request as ProposalRequest
  if (task.state === 'completed')
    return (
      <ProposalView
        key={task.task_id}
        proposal={task.result as RecipeProposal}
        {...{ request, onPropose, onInspect }}
      />
    )
  const isAnswered = Object.keys(answersOf(request)).length > 0
  return (
    <Panel title={t('proposal.title')}>
      <TaskProgress label={t('proposal.title')} task={task} />
      {task.state === 'failed' && isAnswered && (
        <div>
          <Button onPress={() => onPropose({ path: request.path })}>{t('proposal.restart')}</Button>
        </div>
      )}
      {task.state === 'cancelled' && (
        <EmptyState title={t('proposal.cancelled')}>
          <Button onPress={() => onPropose(request)}>{t('proposal.find')}</Button>
        </EmptyState>
      )}
    </Panel>
  )
}
