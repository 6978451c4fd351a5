import { prefetch, queries, read } from '../../app/service'

/** Asks for a study, and for what it has found, while the code of its page is loaded. What fails is asked for, and told, by the page. */
export async function prefetchStudy(study_id: string): Promise<void> {
  const study = await queries.fetchQuery(read('getStudy', { study_id })).catch(() => null)
  if (study && study.results_path !== null) await prefetch('getStudyResults', { study_id })
}
