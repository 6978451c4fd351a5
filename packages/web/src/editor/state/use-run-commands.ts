import { MedloomError } from '@medloom/client'
import { isTerminal } from '@medloom/contracts/plain'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { invalidate, service } from '../../app/service'
import { RUN_RETRY_MILLISECONDS } from '../../durations'
import { type Command, command } from '../commands'
import type { Editor } from './context'

type Scope = { readonly targets?: string[]; readonly force?: string[]; readonly from_run?: string }

/**
 * Starts and cancels runs. Unsaved changes are saved first, because a run uses the document of the service. While another run is active,
 * the next one waits here until it has ended.
 */
export function useRunCommands(editor: Editor) {
  const { session, runs } = editor
  const { checker } = editor
  const summary = useSyncExternalStore(runs.subscribe, runs.summary)
  const [queued, setQueued] = useState<Scope | null>(null)
  const start = useMutation({
    mutationFn: async (scope: Scope) => {
      await session.save()
      return service.executeWorkflow({ workflow_id: session.workflowId, ...scope })
    },
    onSuccess: () => invalidate('listWorkflowRuns', 'listWorkflows', 'planWorkflow'),
    onError: (error, scope) => {
      if (isRunning(error)) setQueued(scope)
    },
  })
  const cancel = useMutation({
    mutationFn: () => service.cancelWorkflow({ workflow_id: session.workflowId }),
    onSuccess: () => invalidate('listWorkflowRuns', 'listWorkflows', 'planWorkflow'),
  })
  // A run changes the plan of the next one.
  useEffect(checker.recheck, [checker, summary.status, summary.run_id])
  const active = summary.run_id !== null && !isTerminal(summary.status)
  const { mutate, isPending } = start
  const refused = isRunning(start.error)
  useEffect(() => {
    if (queued === null || active || isPending) return
    const timer = setTimeout(
      () => {
        setQueued(null)
        mutate(queued)
      },
      // The other run may be unknown to this page.
      refused ? RUN_RETRY_MILLISECONDS : 0,
    )
    return () => clearTimeout(timer)
  }, [queued, active, isPending, mutate, refused])
  const chosen = [...session.state().nodes]
  const run = (scope: Scope) => (active ? setQueued(scope) : mutate(scope))
  const idle = queued === null && !isPending && session.document.nodes.length > 0
  const resumable = summary.run_id !== null && ['error', 'cancelled'].includes(summary.status)
  const commands: readonly Command[] = [
    { ...command('do.run', ['Mod+Enter'], idle, () => run({})), icon: 'running' },
    command('do.runHere', ['Mod+Shift+Enter'], idle && chosen.length > 0, () => run({ targets: chosen })),
    command('do.runAgain', ['r'], idle && chosen.length > 0, () => run({ targets: chosen, force: chosen })),
    command('do.resume', [], idle && resumable, () => mutate({ from_run: summary.run_id as string })),
    { ...command('do.cancel', [], active && !cancel.isPending, () => cancel.mutate()), icon: 'stopped' },
  ]
  const unqueue = queued && (() => setQueued(null))
  return { commands, problem: (refused ? null : start.error) ?? cancel.error, unqueue }
}

const isRunning = (error: unknown): boolean =>
  error instanceof MedloomError && error.code === 'WORKFLOW_RUNNING'
