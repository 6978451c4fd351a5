import { type Dataset, phrase } from '@medloom/contracts'
import { AppError } from '../errors.js'
import type { Actor } from '../security/actor.js'

type Columns = Dataset['columns']
type ColumnRole = Columns[number]['role']

/** Roles whose values are masked: they may identify patients. The reader of cases has the same list (browse/source.py). */
const MASKED: ReadonlySet<ColumnRole> = new Set(['patient', 'id', 'image', 'mask', 'ignored'])

/**
 * Refuses to unmask columns for a token that may not read identifiers.
 * @param before the columns as they were masked; a column that is missing there counts as masked if a role is chosen for it
 * @throws AppError FORBIDDEN
 */
export function refuseUnmasking(
  before: Columns,
  after: Columns,
  chosen: Readonly<Record<string, ColumnRole>>,
  { user, identifiers }: Pick<Actor, 'user' | 'identifiers'>,
): void {
  if (identifiers) return
  const known = new Map(before.map(({ name, role }) => [name, role]))
  const wasMasked = (name: string) => MASKED.has(known.get(name) ?? (name in chosen ? 'ignored' : 'constant'))
  const unmasked = after.filter(({ name, role }) => !MASKED.has(role) && wasMasked(name))
  if (unmasked.length === 0) return
  const names = unmasked.map(({ name }) => `"${name}"`).join(', ')
  throw new AppError(
    'FORBIDDEN',
    phrase('roles_show_identifiers', { columns: names, user }),
    phrase('keep_protected_roles'),
  )
}

/** Returns true if the chosen roles could show values that are masked without them. */
export function choosesShown(chosen: Readonly<Record<string, ColumnRole>>): boolean {
  return Object.values(chosen).some((role) => !MASKED.has(role))
}
