import type { TrainingConfig } from '@medloom/contracts'
import { AppError, issueAt } from '../../errors.js'
import type { Roots } from '../../security/roots.js'

/**
 * The configuration with every path absolute and real. Files are looked for, not read: what is in them is the trainer's to say.
 * @throws AppError with all paths that are wrong as issues (config.data.train_csv, …).
 */
export async function resolvePaths(
  config: TrainingConfig,
  roots: Pick<Roots, 'resolve' | 'resolveTable'>,
): Promise<TrainingConfig> {
  const failures: { path: string; error: AppError }[] = []
  const resolved = async <Given>(
    given: Given,
    path: string,
    resolve: (given: string, path: string) => Promise<string>,
  ): Promise<Given | string> => {
    if (typeof given !== 'string') return given
    try {
      return await resolve(given, path)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failures.push({ path, error })
      return given
    }
  }
  const { data, model } = config
  const absolute = {
    ...config,
    data: {
      ...data,
      train_csv: await resolved(data.train_csv, 'config.data.train_csv', roots.resolveTable),
      val_csv: await resolved(data.val_csv, 'config.data.val_csv', roots.resolveTable),
      test_csv: await resolved(data.test_csv, 'config.data.test_csv', roots.resolveTable),
      image_root: await resolved(data.image_root, 'config.data.image_root', (given, path) =>
        roots.resolve(given, path, 'folder'),
      ),
    },
    model: {
      ...model,
      pretrained: await resolved(model.pretrained, 'config.model.pretrained', (given, path) =>
        roots.resolve(given, path, 'file'),
      ),
    },
  }
  if (failures.length > 0) throw refusal(failures)
  return absolute
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
