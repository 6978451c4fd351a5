import type { Dataset, Inspection } from '@medloom/contracts'

type Check = Inspection['readiness']['checks'][number]

/** Remedy of a check that a button can offer. */
export type Remedy =
  | { readonly kind: 'roles' | 'positive' | 'leaks' | 'inspect' | 'path' }
  | { readonly kind: 'ignore'; readonly columns: readonly string[] }
  | { readonly kind: 'distribution'; readonly column: string }

const MOSTLY_MISSING_SHARE = 0.5
const FIXED_BY_ROLES = [
  'label',
  'patients',
  'REPEATED_IDS',
  'inputs',
  'numeric_texts',
  'MIXED_COLUMN',
  'OTHER_LABEL_COLUMN',
]
const FIXED_BY_IGNORING = ['LABEL_PREDICTED_BY_COLUMN', 'LABEL_PREDICTED_BY_MISSINGNESS']
const SHOWN_IN_DISTRIBUTION = ['SENTINEL_SUSPECTED', 'INFINITE_NUMBERS', 'CENSORED_NUMBERS']

/** Remedy of a failed check that the page can offer; the text of the check explains the rest. */
export function remedyOf(
  { key, status, message }: Check,
  dataset: Pick<Dataset, 'columns' | 'num_cases'>,
): Remedy | null {
  if (status === 'ready') return null
  const named = dataset.columns.map(({ name }) => name).filter((name) => message.includes(`"${name}"`))
  if (key === 'files_changed') return { kind: 'inspect' }
  if (key === 'files_missing') return { kind: 'path' }
  if (key === 'POSITIVE_CLASS_ASSUMED') return { kind: 'positive' }
  if (key === 'patient_leak' || key === 'image_leak') return { kind: 'leaks' }
  if (key === 'missing_values') return { kind: 'ignore', columns: mostlyMissing(dataset) }
  if (FIXED_BY_IGNORING.includes(key) && named.length > 0) return { kind: 'ignore', columns: named }
  if (SHOWN_IN_DISTRIBUTION.includes(key) && named[0] !== undefined)
    return { kind: 'distribution', column: named[0] }
  return FIXED_BY_ROLES.includes(key) && dataset.columns.length > 0 ? { kind: 'roles' } : null
}

function mostlyMissing({ columns, num_cases }: Pick<Dataset, 'columns' | 'num_cases'>): string[] {
  return columns.flatMap(({ name, role, missing }) =>
    (role === 'numeric' || role === 'categorical') && missing > MOSTLY_MISSING_SHARE * num_cases
      ? [name]
      : [],
  )
}
