import type { TrainingConfig } from '@medloom/contracts'
import { AppError, issueAt } from '../errors.js'
import type { PathKind, Roots } from '../security/roots.js'

/**
 * The configuration with every path absolute and real. Files are looked for, not read: what is in them is the trainer's to say.
 * @throws AppError with all paths that are wrong as issues (config.data.train_csv, …).
 */
export async function resolvePaths(
  config: TrainingConfig,
  roots: Pick<Roots, 'resolve'>,
): Promise<TrainingConfig> {
  const failures: { path: string; error: AppError }[] = []
  const resolve = async <Given>(given: Given, path: string, kind: PathKind): Promise<Given | string> => {
    if (typeof given !== 'string') return given
    try {
      return await roots.resolve(given, path, kind)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failures.push({ path, error })
      return given
    }
  }
  const { data, model } = config
  const resolved = {
    ...config,
    data: {
      ...data,
      train_csv: await resolve(data.train_csv, 'config.data.train_csv', 'file'),
      val_csv: await resolve(data.val_csv, 'config.data.val_csv', 'file'),
      test_csv: await resolve(data.test_csv, 'config.data.test_csv', 'file'),
      image_root: await resolve(data.image_root, 'config.data.image_root', 'folder'),
    },
    model: { ...model, pretrained: await resolve(model.pretrained, 'config.model.pretrained', 'file') },
  }
  if (failures.length > 0) throw refusal(failures)
  return resolved
}

/** One code when all problems are of one kind. */
function refusal(failures: readonly { path: string; error: AppError }[]): AppError {
  const codes = new Set(failures.map(({ error }) => error.code))
  const [code = 'INVALID_CONFIG'] = codes
  const issues = failures.map(({ path, error }) => issueAt(path, error))
  return new AppError(
    codes.size === 1 ? code : 'INVALID_CONFIG',
    failures.map(({ error }) => error.message).join('; '),
    failures[0]?.error.details,
    issues,
  )
}
