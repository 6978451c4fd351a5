import { AsyncLocalStorage } from 'node:async_hooks'

const users = new AsyncLocalStorage<string | null>()

/** Everything that `work` begins is for this user; null: for nobody in particular. */
export function onBehalfOf<T>(user: string | null, work: () => T): T {
  return users.run(user, work)
}

/** The user whose request is carried out; null for what the service does by itself. */
export function currentUser(): string | null {
  return users.getStore() ?? null
}
