import { SOFTWARE } from '@medloom/contracts'

/** Versions of all software that definitions name, so that results can be reused. */
export const software = Object.fromEntries(
  Object.values(SOFTWARE).flatMap((names) => names.map((name) => [name, '1'])),
)
