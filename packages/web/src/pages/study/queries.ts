import { prefetch, queryClient, routeQuery } from '../../app/service'

/** Prefetches a study and its results while the code of its page is loaded. The page repeats failed requests and reports the errors. */
export async function prefetchStudy(study_id: string): Promise<void> {
  const study = await queryClient.fetchQuery(routeQuery('getStudy', { study_id })).catch(() => null)
  if (study && study.results_path !== null) await prefetch('getStudyResults', { study_id })
}
