import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { connection } from '../../app/connection'
import { queryClient, service } from '../../app/service'
import { Button } from '../../components/button'
import { TextField } from '../../components/field'
import { PageHeader } from '../../components/panel'
import { Problem } from '../../components/problem'
import { login } from '../../text/login'
import { useText } from '../../text/use-text'
import styles from './login-page.module.css'

/** Replaces a page while the service requires a token; after the login that page returns with its state. */
export function LoginPage() {
  const t = useText(login)
  const [token, setToken] = useState('')
  const submission = useMutation({
    mutationFn: () => service.login({ token: token.trim() }),
    onSuccess: async () => {
      connection.recordLogin()
      await queryClient.resetQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    submission.mutate()
  }
  return (
    <>
      <PageHeader title={t('title')} lead={t('lead')} />
      <form className={styles.form} onSubmit={submit}>
        <TextField
          type="password"
          label={t('token')}
          hint={t('hint')}
          value={token}
          onChange={setToken}
          autoFocus
        />
        {submission.isError && <Problem error={submission.error} />}
        <div>
          <Button kind="primary" type="submit" isDisabled={submission.isPending || token.trim() === ''}>
            {t('submit')}
          </Button>
        </div>
      </form>
    </>
  )
}
