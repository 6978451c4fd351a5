import { CHOSEN_ROLES, type Dataset } from '@medloom/contracts'
import { UsageError } from '../../exit-codes.js'

type Roles = NonNullable<Dataset['roles']>
const INFERRED = 'inferred'

/** The roles of options such as age=numeric, over those before; "inferred" takes one back. */
export function rolesFrom(given: readonly string[], before: Roles = {}): Roles {
  const roles: Roles = { ...before }
  for (const text of given) {
    const at = text.lastIndexOf('=')
    const [column, word] = [text.slice(0, at), text.slice(at + 1)]
    const role = CHOSEN_ROLES.find((known) => known === word)
    if (at < 1 || (role === undefined && word !== INFERRED))
      throw new UsageError(
        `"${text}" is no role of a column.`,
        `Write COLUMN=ROLE with one of ${[...CHOSEN_ROLES, INFERRED].join(', ')}.`,
      )
    if (role === undefined) delete roles[column]
    else roles[column] = role
  }
  return roles
}
