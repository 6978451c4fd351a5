import { dirname, join } from 'node:path'
import { MedloomClient } from '@medloom/client/node'
import { readStudyFile } from '../../packages/cli/src/config/study-file.js'
import { followStudy } from '../../packages/cli/src/follow/follow-study.js'
import { REPOSITORY, startService } from '../../tests/testing/service.js'

const STUDY = join(REPOSITORY, 'examples/studies/pad-ufes-20.yaml')

export interface StudyOrder {
  /** Absolute path of data.csv; the images are in the same folder. */
  readonly table: string
  /** Number of parallel trainings, with one thread each. */
  readonly jobs: string
  /** Changed keys of the study: "a.b=value". */
  readonly settings: readonly string[]
  /** Absolute path of the service's data folder; existing content is kept. */
  readonly dataDir: string
}

/**
 * Trains the study to its end, including one that was started earlier in the same folder.
 * @returns folder of the study; null if it was interrupted, or if some of its trainings failed
 */
export async function trainStudy({ table, jobs, settings, dataDir }: StudyOrder): Promise<string | null> {
  const service = await startService({
    ...{ roots: [dirname(table)], dataDir, prewarm: true },
    arguments: ['--max-jobs', jobs, '--log-level', 'warn'],
  })
  try {
    const client = new MedloomClient({ baseUrl: service.url })
    const { study } = readStudyFile(STUDY, [
      `config.data.train_csv=${table}`,
      `parallel=${jobs}`,
      ...settings,
    ])
    const id = (await begun(client, String(study.name))) ?? (await client.startStudy(study as never)).study_id
    const code = await followStudy(client, id)
    return code === 0 ? join(dataDir, 'studies', id) : null
  } finally {
    await service.stop()
  }
}

/** The unfinished study of that name in the folder; undefined if there is none. */
async function begun(client: MedloomClient, name: string): Promise<string | undefined> {
  const { studies } = await client.listStudies({})
  const known = studies.find((study) => study.name === name)
  if (known && (known.status === 'stopped' || known.status === 'failed'))
    await client.resumeStudy({ study_id: known.study_id })
  return known?.study_id
}
