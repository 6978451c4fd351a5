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
import { useEditing, useEditor } from '../state/context'
import styles from './panels.module.css'

const TRAINING = 'TrainModel'

/** Opens the training of a workflow as a configuration in New training. Lists first the settings that no configuration key can express. */
export function AsConfiguration() {
  const t = useText(text)
  const navigate = useNavigate()
  const { editing } = useEditor()
  const { nodes, metadata } = useEditing().history.document
  const trainings = nodes.filter(({ type }) => type === TRAINING).map(({ id }) => id)
  const [chosen, setChosen] = useState('')
  const node = trainings.find((id) => id === chosen) ?? trainings[0]
  const opened = useMutation({
    mutationFn: async ({ config }: ConfigurationOfWorkflow) => {
      const { beginWith } = await import('../../pages/train/begin-with')
      beginWith(metadata.name, config)
      await navigate({ to: '/train' })
    },
  })
  const made = useMutation({
    mutationFn: (training: string) =>
      service.configurationOfWorkflow({ workflow: { ...editing.document }, node: training }),
    onSuccess: (found) => {
      if (found.unsaid.length === 0) opened.mutate(found)
    },
  })
  if (node === undefined) return null
  const { data: found, error } = made
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
        <Button icon="running" isDisabled={made.isPending} onPress={() => made.mutate(node)}>
          {t('configuration')}
        </Button>
      </div>
      {(error || (found && found.unsaid.length > 0)) && (
        <Dialog
          title={t('configuration.title')}
          isOpen
          onClose={() => made.reset()}
          action={
            found && (
              <Button kind="primary" onPress={() => opened.mutate(found)}>
                {t('configuration.open')}
              </Button>
            )
          }
        >
          {error ? <Problem error={error} /> : <Lost unsaid={found?.unsaid ?? []} />}
        </Dialog>
      )}
    </div>
  )
}

function Lost({ unsaid }: Pick<ConfigurationOfWorkflow, 'unsaid'>) {
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
