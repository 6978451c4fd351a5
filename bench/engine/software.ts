import { SOFTWARE } from '@medloom/contracts'

/** Of software that every definition names, so that results can be reused. */
export const software = Object.fromEntries(
  Object.values(SOFTWARE).flatMap((names) => names.map((name) => [name, '1'])),
)
