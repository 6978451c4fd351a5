import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { access, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ExampleDataset, phrase } from '@medloom/contracts'
import { childEnvironment } from '../child-environment.js'
import { shareInFlight } from '../concurrency/share-in-flight.js'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import { pythonUnavailable } from '../ports/worker-failures.js'
import { REPOSITORY } from '../repository.js'
import { SERVICE } from '../security/actor.js'
import type { DatasetsService } from './datasets.service.js'

const NAME = 'Example: synthetic lesions'
/** Enough cases to learn from, and few enough that a training on two cores takes a minute. */
const FLAGS = ['--cases', '400', '--size', '64', '--seed', '0']
const MAKING_MILLISECONDS = 120_000

/** Next to the uploaded files, since requests may name files there. The name is reserved: no upload has a name that begins with a dot. */
const FOLDER = '.example'

/** The synthetic dataset of the project. */
export class ExampleDatasets {
  constructor(
    private readonly context: Pick<ServiceContext, 'folder' | 'settings'>,
    private readonly datasets: Pick<DatasetsService, 'register' | 'findByPath'>,
  ) {}

  /**
   * Created once and visible to every user; an existing registration is not changed. @throws AppError PYTHON_UNAVAILABLE, TRAINER_FAILED,
   * DISK_FULL
   */
  async make(owner: string | null, signal: AbortSignal): Promise<ExampleDataset> {
    const path = await this.#create()
    const known = await this.datasets.findByPath(await realpath(path))
    const registrant = { owner, mayReplace: () => undefined }
    const dataset = known ?? (await this.datasets.register({ path, name: NAME }, registrant, SERVICE, signal))
    return { dataset, config: configOn(path) }
  }

  /** The folder of the example. */
  readonly #create = shareInFlight(async (): Promise<string> => {
    const { folder } = this.context
    const path = join(folder.uploads, FOLDER)
    if (await isThere(join(path, 'facts.json'))) return path
    const made = join(folder.cache, `example-${randomUUID()}`)
    try {
      await this.#run(made)
      // Remove an incomplete example from which files were deleted by hand.
      await rm(path, { recursive: true, force: true })
      await rename(made, path)
      return path
    } finally {
      await rm(made, { recursive: true, force: true })
    }
  })

  async #run(out: string): Promise<void> {
    const { python } = this.context.settings
    const generator = join(REPOSITORY, 'examples', 'make_dataset.py')
    try {
      await promisify(execFile)(python, [generator, out, ...FLAGS], {
        env: childEnvironment(),
        timeout: MAKING_MILLISECONDS,
      })
    } catch (error) {
      const { code, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string }
      if (code === 'ENOENT' || code === 'EACCES') throw pythonUnavailable(python, code)
      if (stderr.includes('No module named')) throw pythonUnavailable(python, [phrase('module_missing')])
      if (stderr.includes('No space left')) throw new AppError('DISK_FULL', phrase('no_space_for_example'))
      throw new AppError(
        'TRAINER_FAILED',
        phrase('example_failed', { reason: stderr.trim().split('\n').at(-1)?.slice(0, 300) || String(code) }),
      )
    }
  }
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** The image and the table of a case, read by a small network: the demo's training, in fewer epochs. */
function configOn(path: string): ExampleDataset['config'] {
  return {
    data: {
      train_csv: join(path, 'train.csv'),
      val_csv: join(path, 'val.csv'),
      test_csv: join(path, 'test.csv'),
      image_size: [64, 64],
    },
    model: { vision_backbone: 'resnet18', fusion_type: 'gated', hidden_dim: 64 },
    training: { epochs: 6, batch_size: 32, learning_rate: 0.001 },
  }
}
