import { AsyncLocalStorage } from 'node:async_hooks'

const users = new AsyncLocalStorage<string | null>()

/** Everything that `work` starts is for this user; null: for no specific user. */
export function onBehalfOf<T>(user: string | null, work: () => T): T {
  return users.run(user, work)
}

/** The user whose request is executed; null for work of the service itself. */
export function currentUser(): string | null {
  return users.getStore() ?? null
}
