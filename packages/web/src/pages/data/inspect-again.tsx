import type { Dataset } from '@medloom/contracts'
import { Button } from '../../components/button'
import { Problem } from '../../components/problem'
import { TaskProgress } from '../../components/task-progress'
import { data as text } from '../../text/data'
import { useText } from '../../text/use-text'
import { useEdit } from './use-edit'

/** Inspects the files of a dataset again with the current roles. */
export function InspectAgain({ dataset }: { readonly dataset: Dataset }) {
  const t = useText(text)
  const { edit, isEditing, task, error } = useEdit(dataset)
  return (
    <div>
      <Button isDisabled={isEditing} onPress={() => edit({ inspect: true })}>
        {t('remedy.inspect')}
      </Button>
      {task && <TaskProgress label={t('remedy.inspect')} task={task} />}
      {error && <Problem error={error} />}
    </div>
  )
}
