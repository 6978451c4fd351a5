import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { invalidate, service } from '../../app/service'

/** Creates a workflow: empty, from a template, or from a file; then opens it in the editor. */
export function useCreateWorkflow() {
  const navigate = useNavigate()
  const [notJson, setNotJson] = useState<string | null>(null)
  const { mutate, error, isPending } = useMutation({
    mutationFn: ({ body, imported }: { body: object; imported: boolean }) =>
      imported ? service.importWorkflow(body as never) : service.createWorkflow(body as never),
    onSuccess: async ({ workflow_id }) => {
      await invalidate('listWorkflows')
      await navigate({ to: '/workflows/$workflowId', params: { workflowId: workflow_id } })
    },
  })
  const importFile = async (file: File) => {
    setNotJson(null)
    try {
      const body: unknown = JSON.parse(await file.text())
      mutate({ body: body as object, imported: true })
    } catch {
      setNotJson(file.name)
    }
  }
  return {
    empty: () => mutate({ body: {}, imported: false }),
    from: (workflow: object) => mutate({ body: workflow, imported: false }),
    importFile: (file: File) => void importFile(file),
    notJson,
    error,
    isPending,
  }
}
