import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { connection } from '../../app/connection'
import { queryClient, routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { Problem } from '../../components/problem'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import styles from './system.module.css'

/** Access to the service, and logout. The token is never shown, because the page does not know it. */
export function Access() {
  const t = useText(text)
  const { data } = useSuspenseQuery(routeQuery('getSession', {}))
  const logout = useMutation({
    mutationFn: () => service.logout(),
    onSuccess: () => {
      queryClient.clear()
      connection.probe()
    },
  })
  return (
    <div className={styles.access}>
      {data.user !== null && data.role !== null && (
        <p>{t('access.who', { user: data.user, role: t(`role.${data.role}`) })}</p>
      )}
      <p>{t(data.token_required ? 'access.token' : 'access.open')}</p>
      {data.token_required && (
        <div>
          <Button isDisabled={logout.isPending} onPress={() => logout.mutate()}>
            {t('access.logout')}
          </Button>
        </div>
      )}
      {logout.isError && <Problem error={logout.error} />}
    </div>
  )
}
