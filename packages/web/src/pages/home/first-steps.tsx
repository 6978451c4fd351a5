import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { invalidate, service } from '../../app/service'
import { Button, LinkButton } from '../../components/button'
import { Problem } from '../../components/problem'
import { home } from '../../text/home'
import { useText } from '../../text/use-text'
import styles from './home-page.module.css'

/** Two starting points: the example, which prepares a training, or the user's own data. */
export function FirstSteps() {
  const t = useText(home)
  const navigate = useNavigate()
  const example = useMutation({
    mutationFn: () => service.makeExample(),
    onSuccess: async ({ config }) => {
      await invalidate('listDatasets')
      const { loadConfiguration: beginWith } = await import('../train/load-configuration')
      beginWith(t('example.name'), config)
      await navigate({ to: '/train' })
    },
  })
  return (
    <div className={styles.steps}>
      <div className={styles.buttons}>
        <Button kind="primary" icon="running" isDisabled={example.isPending} onPress={() => example.mutate()}>
          {t('example.try')}
        </Button>
        <LinkButton icon="data" to="/data/new">
          {t('own.use')}
        </LinkButton>
      </div>
      <p role="status" className={styles.soft}>
        {example.isPending ? t('example.making') : t('example.lead')}
      </p>
      {example.isError && <Problem error={example.error} />}
    </div>
  )
}
