import { joinTexts, PATH_KEYS, type TrainingConfig } from '@medloom/contracts'
import { AppError, issueAt } from '../../errors.js'
import type { Roots } from '../../security/roots.js'

type PathRoots = Pick<Roots, 'resolve' | 'resolveTable'>
interface PathFailure {
  readonly path: string
  readonly error: AppError
}

/**
 * Resolve every path of the configuration to an absolute, real path. Files must exist; the trainer checks their content.
 * @throws AppError with all invalid paths as issues (config.data.train_csv, …).
 */
export async function resolvePaths(config: TrainingConfig, roots: PathRoots): Promise<TrainingConfig> {
  const { absolute, failures } = await checkPaths(config, roots)
  if (failures.length > 0) throw refusal(failures)
  return absolute
}

/**
 * The configuration with absolute, real paths where they exist, and the failures of the other paths. The configuration need not be valid.
 */
export async function checkPaths<Config extends object>(
  config: Config,
  roots: PathRoots,
): Promise<{ absolute: Config; failures: readonly PathFailure[] }> {
  const failures: PathFailure[] = []
  const { recipe } = (config as { data?: { recipe?: unknown } | null }).data ?? {}
  const resolve = {
    table: (given: string, path: string) => roots.resolveTable(given, path, kindOfTable(recipe)),
    folder: resolverOf(roots, 'folder'),
    file: resolverOf(roots, 'file'),
    // The checkpoint of a fine-tuning is located and read separately; a resumed training no longer needs it.
    checkpoint: async (given: string) => given,
  } as const
  const absolute = structuredClone(config)
  for (const { section, key, kind } of PATH_KEYS) {
    const keys = (absolute as Record<string, unknown>)[section] as Record<string, unknown> | null | undefined
    const given = keys?.[key]
    if (!keys || typeof given !== 'string') continue
    const path = `config.${section}.${key}`
    try {
      keys[key] = await resolve[kind](given, path)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failures.push({ path, error })
    }
  }
  return { absolute, failures }
}

/** A recipe makes a table of a folder as well. */
export function kindOfTable(recipe: unknown): 'table' | 'dataset' {
  return recipe == null ? 'table' : 'dataset'
}

const resolverOf =
  (roots: Pick<Roots, 'resolve'>, kind: 'file' | 'folder') => (given: string, path: string) =>
    roots.resolve(given, path, kind)

/** A single code if all problems are of the same kind. */
function refusal(failures: readonly PathFailure[]): AppError {
  const codes = new Set(failures.map(({ error }) => error.code))
  const [code = 'INVALID_CONFIG'] = codes
  const issues = failures.map(({ path, error }) => issueAt(path, error))
  return new AppError(
    codes.size === 1 ? code : 'INVALID_CONFIG',
    joinTexts(
      failures.map(({ error }) => error.text),
      'semicolon',
    ),
    failures[0]?.error.remedy,
    issues,
  )
}
