import { useQuery } from '@tanstack/react-query'
import { read } from './service'

/** Names of the users, only where there are several: the owner of an item matters only then. */
export function useSeveralUsers(): readonly string[] {
  const { data } = useQuery(read('listUsers', {}))
  const names = data?.users.map(({ user }) => user) ?? []
  return names.length > 1 ? names : []
}
