import type { RouteResponse } from '@medloom/contracts'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { EmptyState } from '../../components/panel'
import { PlainTable } from '../../components/plain-table'
import { Problem } from '../../components/problem'
import { Status } from '../../components/status'
import { useFormatters } from '../../text/formatters'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'
import { TOKENS } from './queries'

type Token = RouteResponse<'listTokens'>['tokens'][number]

/** Tokens, newest first; an administrator revokes them. */
export function Tokens() {
  const t = useText(text)
  const format = useFormatters()
  const { data } = useSuspenseQuery(routeQuery('listTokens', TOKENS))
  const [revoking, setRevoking] = useState<Token | null>(null)
  const revoke = useMutation({
    mutationFn: (token_id: string) => service.revokeToken({ token_id }),
    onSuccess: () => invalidate('listTokens', 'listUsers').then(() => setRevoking(null)),
  })
  if (data.tokens.length === 0) return <EmptyState title={t('tokens.none')} />
  return (
    <>
      <PlainTable
        label={t('tokens.title')}
        head={[
          t('people.user'),
          t('tokens.name'),
          t('people.role'),
          t('tokens.state'),
          t('tokens.used'),
          t('tokens.action'),
        ]}
        rows={data.tokens.map((token) => ({
          key: token.token_id,
          cells: [
            token.user,
            token.name,
            t(`role.${token.role}`),
            <TokenState key="state" token={token} />,
            token.last_used_at === null ? t('tokens.never') : format.moment(token.last_used_at),
            token.revoked_at === null && (
              <Button key="revoke" kind="quiet" icon="delete" onPress={() => setRevoking(token)}>
                {t('tokens.revoke')}
              </Button>
            ),
          ],
        }))}
      />
      <Dialog
        title={t('tokens.revoke.title', { user: revoking?.user ?? '', name: revoking?.name ?? '' })}
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        action={
          <Button
            kind="danger"
            isDisabled={revoke.isPending}
            onPress={() => revoking && revoke.mutate(revoking.token_id)}
          >
            {t('tokens.revoke')}
          </Button>
        }
      >
        <p>{t('tokens.revoke.question')}</p>
        {revoke.isError && <Problem error={revoke.error} />}
      </Dialog>
    </>
  )
}

function TokenState({ token: { expires_at, revoked_at } }: { readonly token: Token }) {
  const t = useText(text)
  const format = useFormatters()
  if (revoked_at !== null) return <Status tone="neutral">{t('tokens.revoked')}</Status>
  if (expires_at === null) return <Status tone="good">{t('tokens.good')}</Status>
  if (Date.parse(expires_at) <= Date.now()) return <Status tone="neutral">{t('tokens.expired')}</Status>
  return <Status tone="good">{t('tokens.until', { time: format.moment(expires_at) })}</Status>
}
