import { ROLES, type Role } from '@medloom/contracts/plain'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { invalidate, service } from '../../app/service'
import { Button } from '../../components/button'
import { CopyButton } from '../../components/copy-button'
import { Dialog } from '../../components/dialog'
import { TextField } from '../../components/field'
import { Problem } from '../../components/problem'
import { Select } from '../../components/select'
import { system as text } from '../../text/system'
import { useText } from '../../text/use-text'

/** Creates a token for a user. */
export function CreateToken() {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t('tokens.create')}</Button>
      {isOpen && <CreateTokenDialog onClose={() => setOpen(false)} />}
    </>
  )
}

/** First the properties of the token; then the token itself, shown once. */
function CreateTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText(text)
  const [user, setUser] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('run')
  const [identifiers, setIdentifiers] = useState<boolean>()
  const [days, setDays] = useState('')
  const isInvalid = user === '' || name === '' || !/^\d{0,4}$/.test(days)
  const create = useMutation({
    mutationFn: () =>
      service.createToken({
        ...{ user, name, role, expires_in_days: days === '' ? null : Number(days) },
        ...(identifiers === undefined ? {} : { identifiers }),
      }),
    // The secret is discarded when the dialog closes.
    gcTime: 0,
    onSuccess: () => invalidate('listTokens', 'listUsers'),
  })
  if (create.data) return <CreatedToken user={user} secret={create.data.secret} onClose={onClose} />
  return (
    <Dialog
      title={t('tokens.create')}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isDisabled={isInvalid || create.isPending} onPress={() => create.mutate()}>
          {t('tokens.make')}
        </Button>
      }
    >
      <TextField
        label={t('people.user')}
        hint={t('tokens.user.hint')}
        value={user}
        onChange={setUser}
        autoFocus
      />
      <TextField label={t('tokens.for')} hint={t('tokens.for.hint')} value={name} onChange={setName} />
      <Select
        label={t('people.role')}
        choices={ROLES.map((value) => ({ value, label: `${value}: ${t(`role.${value}`)}` }))}
        value={role}
        onChange={setRole}
      />
      <Select
        label={t('tokens.identifiers')}
        choices={(['yes', 'no'] as const).map((value) => ({
          value,
          label: t(`tokens.identifiers.${value}`),
        }))}
        value={(identifiers ?? role !== 'read') ? 'yes' : 'no'}
        onChange={(value) => setIdentifiers(value === 'yes')}
      />
      <TextField label={t('tokens.days')} hint={t('tokens.days.hint')} value={days} onChange={setDays} />
      {create.isError && <Problem error={create.error} />}
    </Dialog>
  )
}

function CreatedToken({
  user,
  secret,
  onClose,
}: {
  readonly user: string
  readonly secret: string
  readonly onClose: () => void
}) {
  const t = useText(text)
  return (
    <Dialog title={t('tokens.made', { user })} isOpen onClose={onClose}>
      <p>{t('tokens.made.once')}</p>
      <TextField label={t('tokens.secret')} value={secret} onChange={() => undefined} isSelected />
      <CopyButton text={secret}>{t('tokens.copy')}</CopyButton>
    </Dialog>
  )
}
