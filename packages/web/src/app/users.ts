import { useQuery } from '@tanstack/react-query'
import { routeQuery } from './service'

/** Names of the users, only where there are several: the owner of an item matters only then. */
export function useUserNames(): readonly string[] {
  const { data } = useQuery(routeQuery('listUsers', {}))
  const names = data?.users.map(({ user }) => user) ?? []
  return names.length > 1 ? names : []
}
