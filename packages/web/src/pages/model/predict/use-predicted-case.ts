import type { CasePredictions } from '@medloom/contracts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { routeQuery, service } from '../../../app/service'
import { caseOf, type Values } from './case-values'
import { useCaseImages } from './use-case-images'

type Row = ReturnType<typeof caseOf>

/** A case that is entered, and its last prediction, which remains while values are changed. */
export function usePredictedCase(model_id: string) {
  const inputs = useQuery(routeQuery('getModelInputs', { model_id }))
  const [values, setValues] = useState<Values>({})
  const { images, choose, remove } = useCaseImages()
  const [last, setLast] = useState<{ readonly row: Row; readonly found: CasePredictions } | null>(null)
  const uploads = Object.fromEntries(
    Object.entries(images).flatMap(([column, { upload }]) => (upload ? [[column, upload.upload_id]] : [])),
  )
  const row = inputs.data ? caseOf(inputs.data, values, uploads) : {}
  const predict = useMutation({
    mutationFn: async (asked: Row) => ({
      row: asked,
      found: (await service.predictCases({ model_id, rows: [asked] })) as CasePredictions,
    }),
    onSuccess: setLast,
  })
  return {
    inputs,
    values,
    images,
    last,
    setValue: (column: string, value: string) => setValues((before) => ({ ...before, [column]: value })),
    choose,
    remove,
    predict: () => predict.mutate(row),
    isPending: predict.isPending,
    error: predict.error,
    /** Whether all chosen images have arrived. */
    isReady: inputs.data !== undefined && Object.values(images).every(({ upload }) => upload !== null),
    isChanged: last !== null && JSON.stringify(last.row) !== JSON.stringify(row),
  }
}

export type PredictedCase = ReturnType<typeof usePredictedCase>
