import { useQuery } from '@tanstack/react-query'
import { routeQuery } from '../../app/service'
import { Panel } from '../../components/panel'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import { CreateToken } from './create-token'
import { Quotas } from './quotas'
import { Tokens } from './tokens'

/** Users of the service, for administrators, if the service has users. */
export function Users() {
  const t = useText(text)
  const { data: session } = useQuery(routeQuery('getSession', {}))
  const { data: list } = useQuery(routeQuery('listUsers', {}))
  if (session?.role !== 'admin' || !list || list.users.length === 0) return null
  return (
    <>
      <Panel title={t('people.users')} height={8}>
        <Quotas />
      </Panel>
      <Panel title={t('tokens.title')} height={8} actions={<CreateToken />}>
        <Tokens />
      </Panel>
    </>
  )
}
