import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { changed, service } from '../../app/service'
import { Button } from '../../components/button'
import { Dialog } from '../../components/dialog'
import { FactList } from '../../components/fact-list'
import { Problem } from '../../components/problem'
import { study as text } from '../../text/study'
import { useText } from '../../text/use-text'
import { isOfFolds } from './combinable'
import type { Study } from './live-study'

interface Combining {
  readonly study: Study
  readonly variant: Study['variants'][number]
}

/** Opens the dialog that combines all models of a variant into an ensemble. */
export function CombineButton({ study, variant }: Combining) {
  const t = useText(text)
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button
        aria-haspopup="dialog"
        aria-label={t('ensemble.combineOf', { variant: variant.name })}
        onPress={() => setAsked(true)}
      >
        {t('ensemble.combine')}
      </Button>
      {isAsked && <EnsembleDialog study={study} variant={variant} onClose={() => setAsked(false)} />}
    </>
  )
}

/** Explains how the models of a variant are combined, and links to the resulting ensemble. */
function EnsembleDialog({ study, variant, onClose }: Combining & { readonly onClose: () => void }) {
  const t = useText(text)
  const navigate = useNavigate()
  const [count, names] = [variant.num_completed, { variant: variant.name }]
  const make = useMutation({
    mutationFn: () => service.createEnsemble({ study_id: study.study_id, ...names }),
    onSuccess: async ({ model_id }) => {
      await changed('listModels', 'listJobs')
      await navigate({ to: '/models/$id', params: { id: model_id } })
    },
  })
  return (
    <Dialog
      title={t('ensemble.title', names)}
      isOpen
      onClose={onClose}
      action={
        <Button kind="primary" isPending={make.isPending} onPress={() => make.mutate()}>
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
      {isOfFolds(study, variant.name) && <p>{t('ensemble.folds')}</p>}
      {make.isError && <Problem error={make.error} />}
    </Dialog>
  )
}
