import type { WorkflowOfTraining } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { invalidate, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { useTrainingDraft } from './draft-store'

/** Saves the training as a workflow and opens it. Lists first the settings that no node supports. */
export function WorkflowButton() {
  const t = useText(train)
  const { draft, name } = useTrainingDraft()
  const navigate = useNavigate()
  const save = useMutation({
    mutationFn: ({ workflow }: WorkflowOfTraining) => service.createWorkflow({ ...workflow }),
    onSuccess: async ({ workflow_id }) => {
      await invalidate('listWorkflows')
      await navigate({ to: '/workflows/$workflowId', params: { workflowId: workflow_id } })
    },
  })
  const conversion = useMutation({
    mutationFn: () => service.workflowOfTraining({ config: draft.value as never, name: name.trim() }),
    onSuccess: (found) => {
      if (found.lost.length === 0) save.mutate(found)
    },
  })
  const found = conversion.data
  const error = conversion.error ?? save.error
  return (
    <>
      <Button
        icon="workflow"
        isDisabled={draft.error !== null || conversion.isPending}
        onPress={() => conversion.mutate()}
      >
        {t('workflow')}
      </Button>
      {(error || (found && found.lost.length > 0)) && (
        <Dialog
          title={t('workflow.title')}
          isOpen
          onClose={() => {
            conversion.reset()
            save.reset()
          }}
          action={
            found && !error ? (
              <Button kind="primary" isDisabled={save.isPending} onPress={() => save.mutate(found)}>
                {t('workflow')}
              </Button>
            ) : undefined
          }
        >
          {error ? <Problem error={error} /> : <UnsupportedSettings keys={found?.lost ?? []} />}
        </Dialog>
      )}
    </>
  )
}

function UnsupportedSettings({ keys }: { readonly keys: readonly string[] }) {
  const t = useText(train)
  return (
    <>
      <p>{t('workflow.lost')}</p>
      <ul>
        {keys.map((key) => (
          <li key={key}>
            <code>{key}</code>
          </li>
        ))}
      </ul>
    </>
  )
}
