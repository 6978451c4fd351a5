import { CHOSEN_ROLES, type Dataset } from '@medloom/contracts'
import { UsageError } from '../../exit-codes.js'

type Roles = NonNullable<Dataset['roles']>
const INFERRED = 'inferred'

/** Roles from options such as age=numeric, which override earlier ones; "inferred" removes a role. */
export function rolesFrom(given: readonly string[], before: Roles = {}): Roles {
  const roles: Roles = { ...before }
  for (const text of given) {
    const separator = text.lastIndexOf('=')
    const [column, word] = [text.slice(0, separator), text.slice(separator + 1)]
    const role = CHOSEN_ROLES.find((known) => known === word)
    if (separator < 1 || (role === undefined && word !== INFERRED))
      throw new UsageError(
        `"${text}" does not have the form COLUMN=ROLE.`,
        `The roles are ${[...CHOSEN_ROLES, INFERRED].join(', ')}.`,
      )
    if (role === undefined) delete roles[column]
    else roles[column] = role
  }
  return roles
}
