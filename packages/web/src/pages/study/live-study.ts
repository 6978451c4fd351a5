import type { RouteResponse, StudyMessage } from '@medloom/contracts'
import { useEffect } from 'react'
import { connection } from '../../app/connection'
import { invalidateCoalesced } from '../../app/invalidate-coalesced'
import { invalidate, queryClient, RECONNECT_FOREVER, routeQuery, service } from '../../app/service'

export type Study = RouteResponse<'getStudy'>
export type StudyJob = Study['jobs'][number]
export type StudyResults = RouteResponse<'getStudyResults'>

/** Updates a running study from its messages; the client restores lost connections. */
export function useLiveStudy(study: Study | undefined): void {
  const id = study?.study_id
  const running = study?.status === 'running'
  useEffect(() => {
    if (id === undefined || !running) return
    const controller = new AbortController()
    void follow(id, controller.signal)
    return () => controller.abort()
  }, [id, running])
}

async function follow(id: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const message of service.watchStudy(id, { signal, ...RECONNECT_FOREVER })) {
      const { queryKey } = routeQuery('getStudy', { study_id: id })
      queryClient.setQueryData<Study>(queryKey, (study) => study && applyMessage(study, message))
      // The service computes the means over completed trainings.
      if (message.type === 'training' && message.training.status === 'completed')
        invalidateCoalesced('getStudy')
    }
    await invalidate('getStudy', 'getStudyResults', 'listStudies')
  } catch {
    if (!signal.aborted) connection.probe()
  }
}

/** The study after a message. */
function applyMessage(study: Study, message: StudyMessage): Study {
  switch (message.type) {
    case 'snapshot':
      return message.state
    case 'training': {
      const jobs = [...study.jobs]
      jobs[message.index] = message.training
      return { ...study, jobs, progress: message.progress }
    }
    case 'progress':
      return { ...study, progress: message.progress }
    case 'phase':
      return {
        ...study,
        phase: message.phase,
        message: message.message,
        message_phrases: message.message_phrases,
      }
    default:
      return study
  }
}
