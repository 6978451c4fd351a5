import type { Dataset } from '@medloom/contracts'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useDatasets } from '../../files/dataset-select'
import { applyDataset } from './apply-dataset'
import { datasetOf } from './dataset-choice'
import { currentTrainingDraft, isUntouched, setTrainingDraft } from './draft-store'

const route = getRouteApi('/train')

/** A new training starts with the dataset of the address, or with the latest one. */
export function useInitialDataset(): void {
  useNamed(route.useSearch().dataset)
  useNewest(useDatasets()[0]?.dataset_id)
}

/** Applied once per address. */
function useNamed(id: string | undefined): void {
  const navigate = route.useNavigate()
  useEffect(() => {
    if (id === undefined) return
    void datasetOf(id).then((dataset) => {
      applyToDraft(dataset)
      return navigate({ search: {}, replace: true })
    })
  }, [id, navigate])
}

/** Applied on the first visit, unless the user is faster. A cleared draft stays empty. */
function useNewest(id: string | undefined): void {
  const { from, dataset } = route.useSearch()
  const isNamed = from !== undefined || dataset !== undefined
  useEffect(() => {
    if (id === undefined || isNamed || !isUntouched()) return
    void datasetOf(id).then((newest) => isUntouched() && !isTyping() && applyToDraft(newest))
  }, [id, isNamed])
}

/** The focus is in a text field or the YAML editor, where filling in a dataset would interfere with the user's input. */
function isTyping(): boolean {
  const focused = document.activeElement
  return focused !== null && (focused.matches('input, textarea') || focused.shadowRoot !== null)
}

export function applyToDraft(dataset: Dataset): void {
  const { name, draft } = currentTrainingDraft()
  setTrainingDraft({ name: name.trim() === '' ? dataset.name : name, draft: applyDataset(draft, dataset) })
}
