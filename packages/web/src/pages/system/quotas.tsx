import type { RouteResponse } from '@medloom/contracts'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, routeQuery, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { TextField } from '../../components/field'
import { PlainTable } from '../../components/plain-table'
import { Problem } from '../../components/problem'
import { NONE } from '../../text/formatters'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'

type User = RouteResponse<'listUsers'>['users'][number]

/** Users with their jobs and quotas; an administrator sets the quotas. */
export function Quotas() {
  const t = useText(text)
  const { data } = useSuspenseQuery(routeQuery('listUsers', {}))
  const [edited, setEdited] = useState<User | null>(null)
  const usage = (jobs: number, quota: number | null) =>
    quota === null ? String(jobs) : t('people.of', { jobs, quota })
  return (
    <>
      <PlainTable
        label={t('people.users')}
        head={[
          t('people.user'),
          t('people.role'),
          t('people.running'),
          t('people.waiting'),
          t('people.quotas'),
        ]}
        rows={data.users.map((user) => ({
          key: user.user,
          cells: [
            user.user,
            user.role === null ? NONE : t(`role.${user.role}`),
            usage(user.running_jobs, user.max_running_jobs),
            usage(user.queued_jobs, user.max_queued_jobs),
            <Button key="edit" kind="quiet" onPress={() => setEdited(user)}>
              {t('people.set')}
            </Button>,
          ],
        }))}
      />
      {edited && <QuotasDialog key={edited.user} user={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

function QuotasDialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const t = useText(text)
  const [running, setRunning] = useState(String(user.max_running_jobs ?? ''))
  const [queued, setQueued] = useState(String(user.max_queued_jobs ?? ''))
  const isInvalid = [running, queued].some((typed) => !/^\d{0,5}$/.test(typed))
  const save = useMutation({
    mutationFn: () =>
      service.setUser({
        user: user.user,
        max_running_jobs: running === '' ? null : Number(running),
        max_queued_jobs: queued === '' ? null : Number(queued),
      }),
    onSuccess: () => invalidate('listUsers').then(onClose),
  })
  return (
    <Dialog
      title={t('people.set.title', { user: user.user })}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isDisabled={isInvalid || save.isPending} onPress={() => save.mutate()}>
          {t('people.save')}
        </Button>
      }
    >
      <TextField
        label={t('people.maxRunning')}
        hint={t('people.noLimit')}
        value={running}
        onChange={setRunning}
      />
      <TextField
        label={t('people.maxQueued')}
        hint={t('people.defaultShare')}
        value={queued}
        onChange={setQueued}
      />
      {save.isError && <Problem error={save.error} />}
    </Dialog>
  )
}
