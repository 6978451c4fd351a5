import { check, ERRORS, type ErrorIssue, ISSUES, TrainingConfig, withoutKeys } from '@medloom/contracts'
import { AppError, issueAt } from '../../errors.js'
import type { Roots } from '../../security/roots.js'
import { checkPaths } from '../configuration/config-paths.js'
import type { Start } from '../fine-tuning.js'

export interface IssueOptions {
  readonly roots: Pick<Roots, 'resolve' | 'resolveTable'>
  /** The configuration that a start would store. @throws AppError like a start. */
  readonly startOf: (config: TrainingConfig) => Promise<Start>
  /** Reason why this user cannot queue another job now; null: there is none. */
  readonly queueRefusal: (owner: string | null) => Promise<AppError | null>
}

/**
 * All issues that a start would report before it uses the trainer, and the configuration that would be stored; null if there are issues.
 */
export async function findIssues(
  config: Readonly<Record<string, unknown>>,
  owner: string | null,
  { roots, startOf, queueRefusal }: IssueOptions,
): Promise<{ issues: ErrorIssue[]; config: TrainingConfig | null }> {
  const checked = check(TrainingConfig, config, 'config')
  const wrong = checked.ok ? [] : [...checked.issues, ...issuesOfTheRest(config, checked.issues)]
  const { absolute, failures } = await checkPaths(checked.ok ? checked.value : config, roots)
  const known = new Set(wrong.map(({ path }) => path))
  const issues = [
    ...wrong,
    ...failures.filter(({ path }) => !known.has(path)).map(({ path, error }) => issueAt(path, error)),
  ]
  const refusal = await queueRefusal(owner)
  if (refusal) issues.push(issueAt('', refusal))
  if (!checked.ok || failures.length > 0) return { issues: issues.map(withRemedy), config: null }
  try {
    const start = await startOf(absolute as TrainingConfig)
    return { issues: issues.map(withRemedy), config: start.config }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const found = error.issues.length > 0 ? error.issues : [issueAt('config.model.fine_tune_from', error)]
    return { issues: [...issues, ...found].map(withRemedy), config: null }
  }
}

/** Rules between keys are checked only if each key is valid by itself, so they are checked again without the invalid keys. */
function issuesOfTheRest(config: object, found: readonly ErrorIssue[]): ErrorIssue[] {
  const keys = found.map(({ path }) => path.split('.').slice(1, 3))
  const sections = new Set(keys.flatMap(([section, key]) => (key === undefined ? [section] : [])))
  const right = Object.fromEntries(Object.entries(config).filter(([section]) => !sections.has(section)))
  const again = check(TrainingConfig, withoutKeys(right, keys), 'config')
  if (again.ok) return []
  const known = new Set(found.map(({ path }) => path))
  return again.issues.filter(({ path, code }) => !known.has(path) && code !== 'MISSING_FIELD')
}

/** Adds a remedy to an issue: its own text, or the text of the catalog. */
export function withRemedy(issue: ErrorIssue): ErrorIssue {
  if (issue.hint) return issue
  const declared = { ...ISSUES, ...ERRORS }[issue.code as keyof typeof ISSUES | keyof typeof ERRORS]
  return declared ? { ...issue, hint: declared.remedy } : issue
}
