import type { WorkflowOfTraining } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { changed, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'
import { useSetup } from './draft-store'

/** Saves the training as a workflow and opens it. Lists first the settings that no node supports. */
export function WorkflowButton() {
  const t = useText(train)
  const { draft, name } = useSetup()
  const navigate = useNavigate()
  const saved = useMutation({
    mutationFn: ({ workflow }: WorkflowOfTraining) => service.createWorkflow({ ...workflow }),
    onSuccess: async ({ workflow_id }) => {
      await changed('listWorkflows')
      await navigate({ to: '/workflows/$workflowId', params: { workflowId: workflow_id } })
    },
  })
  const made = useMutation({
    mutationFn: () => service.workflowOfTraining({ config: draft.value as never, name: name.trim() }),
    onSuccess: (found) => {
      if (found.lost.length === 0) saved.mutate(found)
    },
  })
  const found = made.data
  const error = made.error ?? saved.error
  return (
    <>
      <Button
        icon="workflow"
        isDisabled={draft.error !== null || made.isPending}
        onPress={() => made.mutate()}
      >
        {t('workflow')}
      </Button>
      {(error || (found && found.lost.length > 0)) && (
        <Dialog
          title={t('workflow.title')}
          isOpen
          onClose={() => {
            made.reset()
            saved.reset()
          }}
          action={
            found && !error ? (
              <Button kind="primary" isDisabled={saved.isPending} onPress={() => saved.mutate(found)}>
                {t('workflow')}
              </Button>
            ) : undefined
          }
        >
          {error ? <Problem error={error} /> : <Lost keys={found?.lost ?? []} />}
        </Dialog>
      )}
    </>
  )
}

function Lost({ keys }: { readonly keys: readonly string[] }) {
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
