import { useQuery } from '@tanstack/react-query'
import { read } from './service'

/** Names of the users, where there are several: only then it matters whose something is. */
export function useSeveralUsers(): readonly string[] {
  const { data } = useQuery(read('listUsers', {}))
  const names = data?.users.map(({ user }) => user) ?? []
  return names.length > 1 ? names : []
}
