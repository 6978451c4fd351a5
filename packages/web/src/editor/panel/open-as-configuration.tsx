import type { ConfigurationOfWorkflow } from '@medloom/contracts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { Problem } from '../../components/problem'
import { Select } from '../../components/select'
import { editor as text } from '../../text/editor'
import { useText } from '../../text/use-text'
import { useEditor, useEditState } from '../state/context'
import styles from './panels.module.css'

const TRAINING = 'TrainModel'

/** Opens the training of a workflow as a configuration in New training. Lists first the settings that no configuration key can express. */
export function OpenAsConfiguration() {
  const t = useText(text)
  const navigate = useNavigate()
  const { session } = useEditor()
  const { nodes, metadata } = useEditState().history.document
  const trainings = nodes.filter(({ type }) => type === TRAINING).map(({ id }) => id)
  const [chosen, setChosen] = useState('')
  const node = trainings.find((id) => id === chosen) ?? trainings[0]
  const open = useMutation({
    mutationFn: async ({ config }: ConfigurationOfWorkflow) => {
      const { loadConfiguration: beginWith } = await import('../../pages/train/load-configuration')
      beginWith(metadata.name, config)
      await navigate({ to: '/train' })
    },
  })
  const conversion = useMutation({
    mutationFn: (training: string) =>
      service.configurationOfWorkflow({ workflow: { ...session.document }, node: training }),
    onSuccess: (found) => {
      if (found.unsaid.length === 0) open.mutate(found)
    },
  })
  if (node === undefined) return null
  const { data: found, error } = conversion
  return (
    <div className={styles.stack}>
      {trainings.length > 1 && (
        <Select
          label={t('configuration.node')}
          choices={trainings.map((id) => ({ value: id, label: id }))}
          value={node}
          onChange={setChosen}
        />
      )}
      <div>
        <Button icon="running" isDisabled={conversion.isPending} onPress={() => conversion.mutate(node)}>
          {t('configuration')}
        </Button>
      </div>
      {(error || (found && found.unsaid.length > 0)) && (
        <Dialog
          title={t('configuration.title')}
          isOpen
          onClose={() => conversion.reset()}
          action={
            found && (
              <Button kind="primary" onPress={() => open.mutate(found)}>
                {t('configuration.open')}
              </Button>
            )
          }
        >
          {error ? <Problem error={error} /> : <UnsupportedSettings unsaid={found?.unsaid ?? []} />}
        </Dialog>
      )}
    </div>
  )
}

function UnsupportedSettings({ unsaid }: Pick<ConfigurationOfWorkflow, 'unsaid'>) {
  const t = useText(text)
  return (
    <>
      <p>{t('configuration.lost')}</p>
      <ul className={styles.differences}>
        {unsaid.map(({ node, field, message }) => (
          <li key={`${node} ${field} ${message}`}>
            <code>{field === null ? node : `${node}.${field}`}</code> {message}
          </li>
        ))}
      </ul>
    </>
  )
}
