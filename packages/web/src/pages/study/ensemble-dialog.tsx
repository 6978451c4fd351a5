import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { invalidate, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { FactList } from '../../components/fact-list'
import { Problem } from '../../components/problem'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import { hasSeveralFolds } from './ensemble-eligibility'
import type { Study } from './live-study'

interface EnsembleProps {
  readonly study: Study
  readonly variant: Study['variants'][number]
}

/** Opens the dialog that combines all models of a variant into an ensemble. */
export function CombineButton({ study, variant }: EnsembleProps) {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        aria-haspopup="dialog"
        aria-label={t('ensemble.combineOf', { variant: variant.name })}
        onPress={() => setOpen(true)}
      >
        {t('ensemble.combine')}
      </Button>
      {isOpen && <EnsembleDialog study={study} variant={variant} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Explains how the models of a variant are combined, and links to the resulting ensemble. */
function EnsembleDialog({ study, variant, onClose }: EnsembleProps & { readonly onClose: () => void }) {
  const t = useText(text)
  const navigate = useNavigate()
  const [count, names] = [variant.num_completed, { variant: variant.name }]
  const create = useMutation({
    mutationFn: () => service.createEnsemble({ study_id: study.study_id, ...names }),
    onSuccess: async ({ model_id }) => {
      await invalidate('listModels', 'listJobs')
      await navigate({ to: '/models/$id', params: { id: model_id } })
    },
  })
  return (
    <Dialog
      title={t('ensemble.title', names)}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isPending={create.isPending} onPress={() => create.mutate()}>
          {t('ensemble.combine')}
        </Button>
      }
    >
      <p>{t('ensemble.lead')}</p>
      <FactList
        facts={[
          [t('ensemble.members'), t('ensemble.membersText', { count })],
          [t('ensemble.prediction'), t('ensemble.predictionText')],
          [t('ensemble.uncertainty'), t('ensemble.uncertaintyText')],
          [t('ensemble.cost'), t('ensemble.costText', { count })],
        ]}
      />
      {hasSeveralFolds(study, variant.name) && <p>{t('ensemble.folds')}</p>}
      {create.isError && <Problem error={create.error} />}
    </Dialog>
  )
}
