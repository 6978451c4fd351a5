import { copyFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Blob, CheckpointManifest, type CheckpointState, type Job, phrase } from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import { AppError } from '../../../errors.js'
import { type Manifest, parseState } from '../../../storage/checkpoints.js'
import { makeFolder } from '../../../storage/own-folder.js'
import { MANIFEST } from '../../../storage/run-directory.js'
import type { TrainingGateway } from '../../../training/training-gateway.js'
import { linkOrCopy } from '../../cache/artifact-store.js'
import { contentAt, type ExecutionContext } from '../executor.js'

/** The input checkpoint of a node: exactly these files, whatever its job has saved since. */
export interface ArrivedCheckpoint {
  readonly manifest: Manifest
  readonly state: CheckpointState
  /** Its job, if it still exists. */
  readonly job: Job | null
  /** Put it into the run directory of a new job, with the file that identifies the cases of its training. @returns its folder */
  place(jobId: string): Promise<string>
}

/** @throws AppError CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT. */
export async function arrivedCheckpoint(
  task: Task,
  context: ExecutionContext,
  trainings: Pick<TrainingGateway, 'job'>,
): Promise<ArrivedCheckpoint> {
  const { store, service } = context
  const given = contentAt(task, 'checkpoint_path', 'files')
  const blobs = new Map(given?.files.map(({ path, blob }) => [basename(path), blob]))
  const manifest = await manifestOf(blobs, context)
  const files = Object.values(manifest.files).map(({ file, sha256 }) => {
    const blob = blobs.get(file)
    if (blob?.sha256 !== sha256)
      throw new AppError('CHECKPOINT_CORRUPT', phrase('checkpoint_file_differs', { file }))
    return { file, blob }
  })
  const state = files.find(({ file }) => file === manifest.files.state?.file)
  if (!state) throw new AppError('CHECKPOINT_CORRUPT', phrase('checkpoint_without_state'))
  return {
    manifest,
    state: parseState((await store.read(state.blob)).toString('utf8')),
    job: await trainings.job(manifest.job_id).catch(unlessUnknown),
    async place(jobId) {
      const run = service.folder.run(jobId)
      await makeFolder(run.start)
      for (const { file, blob } of [...files, { file: MANIFEST, blob: blobs.get(MANIFEST) as Blob }])
        await linkOrCopy(await store.open(blob), join(run.start, file))
      await makeFolder(dirname(run.startKnownCases))
      // The file was removed with its job: the trainer then reports that it does not know the cases.
      await copyFile(service.folder.run(manifest.job_id).knownCases, run.startKnownCases).catch(
        () => undefined,
      )
      return run.start
    },
  }
}

async function manifestOf(blobs: ReadonlyMap<string, Blob>, { store }: ExecutionContext): Promise<Manifest> {
  const blob = blobs.get(MANIFEST)
  if (!blob) throw new AppError('CHECKPOINT_NOT_FOUND', phrase('input_not_a_checkpoint'))
  const parsed = CheckpointManifest.safeParse(JSON.parse((await store.read(blob)).toString('utf8')))
  if (!parsed.success)
    throw new AppError('CHECKPOINT_CORRUPT', phrase('file_not_readable', { file: MANIFEST }))
  return parsed.data
}

function unlessUnknown(error: unknown): null {
  if (error instanceof AppError && error.code === 'JOB_NOT_FOUND') return null
  throw error
}
